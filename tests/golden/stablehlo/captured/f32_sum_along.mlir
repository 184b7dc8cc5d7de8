module @topos {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
    %v1_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v1 = stablehlo.reduce(%arg0 init: %v1_seed) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %v2_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v2 = stablehlo.reduce(%arg0 init: %v2_seed) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %v1, %v2 : tensor<3xf32>, tensor<2xf32>
  }
}
