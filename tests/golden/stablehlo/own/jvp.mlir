module @topos {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<3x2xf32>) -> (tensor<f32>, tensor<f32>) {
    %v3 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    %v4 = stablehlo.tanh %v3 : tensor<4x2xf32>
    %v5 = stablehlo.multiply %v4, %v4 : tensor<4x2xf32>
    %v6_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v6 = stablehlo.reduce(%v5 init: %v6_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
    %v12 = stablehlo.constant dense<1.0> : tensor<4x2xf32>
    %v13 = stablehlo.multiply %v4, %v4 : tensor<4x2xf32>
    %v14 = stablehlo.subtract %v12, %v13 : tensor<4x2xf32>
    %v18 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %v22 = stablehlo.transpose %v18, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %v23 = stablehlo.dot_general %v22, %arg2, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    %v24 = stablehlo.multiply %v23, %v14 : tensor<4x2xf32>
    %v26 = stablehlo.multiply %v24, %v4 : tensor<4x2xf32>
    %v28 = stablehlo.multiply %v24, %v4 : tensor<4x2xf32>
    %v30 = stablehlo.add %v26, %v28 : tensor<4x2xf32>
    %v31_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v31 = stablehlo.reduce(%v30 init: %v31_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
    %v32 = stablehlo.broadcast_in_dim %v31, dims = [] : (tensor<f32>) -> tensor<f32>
    return %v6, %v32 : tensor<f32>, tensor<f32>
  }
}
