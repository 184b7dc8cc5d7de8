module @topos {
  func.func @main(%arg0: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>) {
    %v1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    return %v1 : tensor<4x2x3xf32>
  }
}
