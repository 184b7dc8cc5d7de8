module @topos {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<f32>) {
    %v5 = stablehlo.logistic %arg0 : tensor<3xf32>
    %v6_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v6 = stablehlo.reduce(%v5 init: %v6_seed) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %v6 : tensor<f32>
  }
}
