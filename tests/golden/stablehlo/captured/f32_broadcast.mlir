module @topos {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<1xf32>, %arg2: tensor<1x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) {
    %v3 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %v4_scalar = stablehlo.reshape %arg1 : (tensor<1xf32>) -> tensor<f32>
    %v4 = stablehlo.broadcast_in_dim %v4_scalar, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %v5_scalar = stablehlo.reshape %arg2 : (tensor<1x1xf32>) -> tensor<f32>
    %v5 = stablehlo.broadcast_in_dim %v5_scalar, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %v6_scalar = stablehlo.reshape %arg1 : (tensor<1xf32>) -> tensor<f32>
    %v6 = stablehlo.broadcast_in_dim %v6_scalar, dims = [] : (tensor<f32>) -> tensor<f32>
    %v7 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<f32>
    return %v3, %v4, %v5, %v6, %v7 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  }
}
