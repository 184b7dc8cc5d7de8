module @topos {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %v2_low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v2_peak = stablehlo.reduce(%arg0 init: %v2_low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %v2_finite = stablehlo.is_finite %v2_peak : (tensor<2xf32>) -> tensor<2xi1>
    %v2_zeros = stablehlo.constant dense<0.0> : tensor<2xf32>
    %v2_shift = stablehlo.select %v2_finite, %v2_peak, %v2_zeros : tensor<2xi1>, tensor<2xf32>
    %v2_spread_peak = stablehlo.broadcast_in_dim %v2_shift, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %v2_centered = stablehlo.subtract %arg0, %v2_spread_peak : tensor<2x3xf32>
    %v2_exp = stablehlo.exponential %v2_centered : tensor<2x3xf32>
    %v2_total_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v2_total = stablehlo.reduce(%v2_exp init: %v2_total_seed) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %v2_normalizer = stablehlo.log %v2_total : tensor<2xf32>
    %v2 = stablehlo.add %v2_shift, %v2_normalizer : tensor<2xf32>
    %v3_low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v3_peak = stablehlo.reduce(%arg1 init: %v3_low) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %v3_finite = stablehlo.is_finite %v3_peak : (tensor<f32>) -> tensor<i1>
    %v3_zeros = stablehlo.constant dense<0.0> : tensor<f32>
    %v3_shift = stablehlo.select %v3_finite, %v3_peak, %v3_zeros : tensor<i1>, tensor<f32>
    %v3_spread_peak = stablehlo.broadcast_in_dim %v3_shift, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %v3_centered = stablehlo.subtract %arg1, %v3_spread_peak : tensor<3xf32>
    %v3_exp = stablehlo.exponential %v3_centered : tensor<3xf32>
    %v3_total_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v3_total = stablehlo.reduce(%v3_exp init: %v3_total_seed) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %v3_normalizer = stablehlo.log %v3_total : tensor<f32>
    %v3 = stablehlo.add %v3_shift, %v3_normalizer : tensor<f32>
    return %v2, %v3 : tensor<2xf32>, tensor<f32>
  }
}
