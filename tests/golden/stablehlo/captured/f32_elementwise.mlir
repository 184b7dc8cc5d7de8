module @topos {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %v2 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %v3 = stablehlo.subtract %arg0, %arg1 : tensor<2x3xf32>
    %v4 = stablehlo.multiply %arg0, %arg1 : tensor<2x3xf32>
    %v5 = stablehlo.divide %arg0, %arg1 : tensor<2x3xf32>
    %v6 = stablehlo.maximum %arg0, %arg1 : tensor<2x3xf32>
    %v7 = stablehlo.power %arg0, %arg1 : tensor<2x3xf32>
    %v8 = stablehlo.negate %arg0 : tensor<2x3xf32>
    return %v2, %v3, %v4, %v5, %v6, %v7, %v8 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
