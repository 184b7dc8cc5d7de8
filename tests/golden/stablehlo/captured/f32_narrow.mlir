module @topos {
  func.func @main(%arg0: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<1x5xf32>) {
    %v1 = stablehlo.slice %arg0 [0:2, 1:4] : (tensor<2x5xf32>) -> tensor<2x3xf32>
    %v2 = stablehlo.slice %arg0 [1:2, 0:5] : (tensor<2x5xf32>) -> tensor<1x5xf32>
    return %v1, %v2 : tensor<2x3xf32>, tensor<1x5xf32>
  }
}
