module @topos {
  func.func @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>, tensor<2xbf16>) {
    %v1_low = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %v1_peak = stablehlo.reduce(%arg0 init: %v1_low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16>
    %v1_spread_peak = stablehlo.broadcast_in_dim %v1_peak, dims = [0] : (tensor<2xbf16>) -> tensor<2x3xbf16>
    %v1_centered = stablehlo.subtract %arg0, %v1_spread_peak : tensor<2x3xbf16>
    %v1_exp = stablehlo.exponential %v1_centered : tensor<2x3xbf16>
    %v1_total_promoted = stablehlo.convert %v1_exp : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    %v1_total_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v1_total_accumulated = stablehlo.reduce(%v1_total_promoted init: %v1_total_seed) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %v1_total = stablehlo.convert %v1_total_accumulated : (tensor<2xf32>) -> tensor<2xbf16>
    %v1_normalizer = stablehlo.log %v1_total : tensor<2xbf16>
    %v1_spread_normalizer = stablehlo.broadcast_in_dim %v1_normalizer, dims = [0] : (tensor<2xbf16>) -> tensor<2x3xbf16>
    %v1 = stablehlo.subtract %v1_centered, %v1_spread_normalizer : tensor<2x3xbf16>
    %v2_low = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %v2_peak = stablehlo.reduce(%arg0 init: %v2_low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16>
    %v2_spread_peak = stablehlo.broadcast_in_dim %v2_peak, dims = [0] : (tensor<2xbf16>) -> tensor<2x3xbf16>
    %v2_centered = stablehlo.subtract %arg0, %v2_spread_peak : tensor<2x3xbf16>
    %v2_exp = stablehlo.exponential %v2_centered : tensor<2x3xbf16>
    %v2_total_promoted = stablehlo.convert %v2_exp : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    %v2_total_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v2_total_accumulated = stablehlo.reduce(%v2_total_promoted init: %v2_total_seed) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %v2_total = stablehlo.convert %v2_total_accumulated : (tensor<2xf32>) -> tensor<2xbf16>
    %v2_normalizer = stablehlo.log %v2_total : tensor<2xbf16>
    %v2 = stablehlo.add %v2_peak, %v2_normalizer : tensor<2xbf16>
    return %v1, %v2 : tensor<2x3xbf16>, tensor<2xbf16>
  }
}
