module @topos {
  func.func @main(%arg0: tensor<2xbf16>, %arg1: tensor<2xbf16>, %arg2: tensor<3x2xbf16>) -> (tensor<3x2xbf16>, tensor<2xbf16>, tensor<2xbf16>) {
    %v2 = stablehlo.constant dense<1.001358e-5> : tensor<bf16>
    %v21:3 = "stablehlo.batch_norm_training"(%arg2, %arg0, %arg1) {epsilon = 1.001358e-5 : f32, feature_index = 1 : i64} : (tensor<3x2xbf16>, tensor<2xbf16>, tensor<2xbf16>) -> (tensor<3x2xbf16>, tensor<2xbf16>, tensor<2xbf16>)
    return %v21#0, %v21#1, %v21#2 : tensor<3x2xbf16>, tensor<2xbf16>, tensor<2xbf16>
  }
}
