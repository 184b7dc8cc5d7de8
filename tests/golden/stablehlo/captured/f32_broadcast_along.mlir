module @topos {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<4x2x3xf32>, tensor<2x4x3xf32>, tensor<2x3x4xf32>) {
    %v1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
    %v2 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
    %v3 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x4xf32>
    return %v1, %v2, %v3 : tensor<4x2x3xf32>, tensor<2x4x3xf32>, tensor<2x3x4xf32>
  }
}
