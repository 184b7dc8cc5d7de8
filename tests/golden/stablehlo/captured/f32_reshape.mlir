module @topos {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<2x3xf32>, tensor<1xf32>) {
    %v1 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
    %v2 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %v3_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v3 = stablehlo.reduce(%arg0 init: %v3_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %v4 = stablehlo.reshape %v3 : (tensor<f32>) -> tensor<1xf32>
    return %v1, %v2, %v4 : tensor<6xf32>, tensor<2x3xf32>, tensor<1xf32>
  }
}
