module @topos {
  func.func @main(%arg0: tensor<5x2x3xf32>, %arg1: tensor<2x3x2x2xf32>, %arg2: tensor<2x3x2x5xf32>, %arg3: tensor<5x3x4xf32>) -> (tensor<5x2x4xf32>, tensor<2x3x2x5xf32>) {
    %v4 = stablehlo.dot_general %arg0, %arg3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
    %v5 = stablehlo.dot_general %arg1, %arg2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x2x2xf32>, tensor<2x3x2x5xf32>) -> tensor<2x3x2x5xf32>
    return %v4, %v5 : tensor<5x2x4xf32>, tensor<2x3x2x5xf32>
  }
}
