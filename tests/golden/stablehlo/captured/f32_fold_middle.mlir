module @topos {
  func.func @main(%arg0: tensor<2x3x2x4xf32>) -> (tensor<2x4x4xf32>) {
    %v1_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]]> : tensor<3x2x4xf32>
    %v1_joined = stablehlo.dot_general %arg0, %v1_weights, contracting_dims = [1, 2] x [0, 1] : (tensor<2x3x2x4xf32>, tensor<3x2x4xf32>) -> tensor<2x4x4xf32>
    %v1 = stablehlo.transpose %v1_joined, dims = [0, 2, 1] : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    return %v1 : tensor<2x4x4xf32>
  }
}
