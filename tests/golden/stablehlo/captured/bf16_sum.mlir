module @topos {
  func.func @main(%arg0: tensor<2x3xbf16>, %arg1: tensor<bf16>) -> (tensor<bf16>, tensor<2xbf16>, tensor<bf16>) {
    %v2_promoted = stablehlo.convert %arg0 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    %v2_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v2_accumulated = stablehlo.reduce(%v2_promoted init: %v2_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %v2 = stablehlo.convert %v2_accumulated : (tensor<f32>) -> tensor<bf16>
    %v3_promoted = stablehlo.convert %arg0 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    %v3_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v3_accumulated = stablehlo.reduce(%v3_promoted init: %v3_seed) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %v3 = stablehlo.convert %v3_accumulated : (tensor<2xf32>) -> tensor<2xbf16>
    return %v2, %v3, %arg1 : tensor<bf16>, tensor<2xbf16>, tensor<bf16>
  }
}
