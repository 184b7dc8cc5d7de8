module @topos {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %v2 = stablehlo.constant dense<1.0e-5> : tensor<f32>
    %v21:3 = "stablehlo.batch_norm_training"(%arg2, %arg0, %arg1) {epsilon = 1.0e-5 : f32, feature_index = 1 : i64} : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>)
    return %v21#0, %v21#1, %v21#2 : tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
