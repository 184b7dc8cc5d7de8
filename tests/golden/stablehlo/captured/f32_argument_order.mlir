module @topos {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>, %arg3: tensor<2xf32>) -> (tensor<2xf32>) {
    %v7 = stablehlo.multiply %arg2, %arg0 : tensor<2xf32>
    %v8 = stablehlo.multiply %arg3, %arg1 : tensor<2xf32>
    %v9 = stablehlo.add %v7, %v8 : tensor<2xf32>
    return %v9 : tensor<2xf32>
  }
}
