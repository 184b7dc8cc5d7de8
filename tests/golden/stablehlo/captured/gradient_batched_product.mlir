module @topos {
  func.func @main(%arg0: tensor<2x2x3xf32>, %arg1: tensor<2x3x2xf32>) -> (tensor<f32>, tensor<2x2x3xf32>, tensor<2x3x2xf32>) {
    %v2 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x3xf32>, tensor<2x3x2xf32>) -> tensor<2x2x2xf32>
    %v3_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v3 = stablehlo.reduce(%v2 init: %v3_seed) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2xf32>, tensor<f32>) -> tensor<f32>
    %v4 = stablehlo.constant dense<1.0> : tensor<f32>
    %v5 = stablehlo.broadcast_in_dim %v4, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
    %v6 = stablehlo.constant dense<0.0> : tensor<2x2x2xf32>
    %v7 = stablehlo.add %v6, %v5 : tensor<2x2x2xf32>
    %v8 = stablehlo.transpose %arg1, dims = [0, 2, 1] : (tensor<2x3x2xf32>) -> tensor<2x2x3xf32>
    %v9 = stablehlo.dot_general %v7, %v8, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xf32>, tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
    %v10 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x2x3xf32>) -> tensor<2x3x2xf32>
    %v11 = stablehlo.dot_general %v10, %v7, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x2xf32>, tensor<2x2x2xf32>) -> tensor<2x3x2xf32>
    %v12 = stablehlo.constant dense<0.0> : tensor<2x2x3xf32>
    %v13 = stablehlo.add %v12, %v9 : tensor<2x2x3xf32>
    %v14 = stablehlo.constant dense<0.0> : tensor<2x3x2xf32>
    %v15 = stablehlo.add %v14, %v11 : tensor<2x3x2xf32>
    return %v3, %v13, %v15 : tensor<f32>, tensor<2x2x3xf32>, tensor<2x3x2xf32>
  }
}
