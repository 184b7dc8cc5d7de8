module @topos {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<3x2xf32>, %arg3: tensor<2xf32>, %arg4: tensor<2xf32>) -> (tensor<3x2xf32>) {
    %v2 = stablehlo.constant dense<1.0e-5> : tensor<f32>
    %v16 = "stablehlo.batch_norm_inference"(%arg2, %arg0, %arg1, %arg3, %arg4) {epsilon = 1.0e-5 : f32, feature_index = 1 : i64} : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
    return %v16 : tensor<3x2xf32>
  }
}
