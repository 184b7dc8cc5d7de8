module @topos {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %v2 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    return %arg1, %arg0, %v2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
