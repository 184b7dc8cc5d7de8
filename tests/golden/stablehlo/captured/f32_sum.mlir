module @topos {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    %v3_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v3 = stablehlo.reduce(%arg0 init: %v3_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %v4_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v4 = stablehlo.reduce(%arg1 init: %v4_seed) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %v7 = stablehlo.multiply %arg2, %arg2 : tensor<f32>
    return %v3, %v4, %arg2, %v7 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
