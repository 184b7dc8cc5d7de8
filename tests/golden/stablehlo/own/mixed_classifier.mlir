module @topos {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x4xf32>) -> (tensor<f32>, tensor<3x4xf32>) {
    %v3 = stablehlo.convert %arg1 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %v4 = stablehlo.convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xbf16>
    %v5_accumulated = stablehlo.dot_general %v3, %v4, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xf32>
    %v5 = stablehlo.convert %v5_accumulated : (tensor<2x4xf32>) -> tensor<2x4xbf16>
    %v6_promoted = stablehlo.convert %v5 : (tensor<2x4xbf16>) -> tensor<2x4xf32>
    %v6_low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v6_peak = stablehlo.reduce(%v6_promoted init: %v6_low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %v6_spread_peak = stablehlo.broadcast_in_dim %v6_peak, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
    %v6_centered = stablehlo.subtract %v6_promoted, %v6_spread_peak : tensor<2x4xf32>
    %v6_exp = stablehlo.exponential %v6_centered : tensor<2x4xf32>
    %v6_total_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v6_total = stablehlo.reduce(%v6_exp init: %v6_total_seed) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %v6_normalizer = stablehlo.log %v6_total : tensor<2xf32>
    %v6_spread_normalizer = stablehlo.broadcast_in_dim %v6_normalizer, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
    %v6_wide = stablehlo.subtract %v6_centered, %v6_spread_normalizer : tensor<2x4xf32>
    %v6 = stablehlo.convert %v6_wide : (tensor<2x4xf32>) -> tensor<2x4xbf16>
    %v7 = stablehlo.convert %v6 : (tensor<2x4xbf16>) -> tensor<2x4xf32>
    %v8 = stablehlo.multiply %v7, %arg2 : tensor<2x4xf32>
    %v9_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v9 = stablehlo.reduce(%v8 init: %v9_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
    %v10 = stablehlo.negate %v9 : tensor<f32>
    %v11 = stablehlo.constant dense<1.0> : tensor<f32>
    %v12 = stablehlo.negate %v11 : tensor<f32>
    %v13 = stablehlo.constant dense<0.0> : tensor<f32>
    %v14 = stablehlo.add %v13, %v12 : tensor<f32>
    %v15 = stablehlo.broadcast_in_dim %v14, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %v16 = stablehlo.constant dense<0.0> : tensor<2x4xf32>
    %v17 = stablehlo.add %v16, %v15 : tensor<2x4xf32>
    %v18 = stablehlo.multiply %v17, %arg2 : tensor<2x4xf32>
    %v20 = stablehlo.constant dense<0.0> : tensor<2x4xf32>
    %v21 = stablehlo.add %v20, %v18 : tensor<2x4xf32>
    %v24 = stablehlo.convert %v21 : (tensor<2x4xf32>) -> tensor<2x4xbf16>
    %v25 = stablehlo.constant dense<0.0> : tensor<2x4xbf16>
    %v26 = stablehlo.add %v25, %v24 : tensor<2x4xbf16>
    %v27_promoted = stablehlo.convert %v26 : (tensor<2x4xbf16>) -> tensor<2x4xf32>
    %v27_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v27_accumulated = stablehlo.reduce(%v27_promoted init: %v27_seed) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %v27 = stablehlo.convert %v27_accumulated : (tensor<2xf32>) -> tensor<2xbf16>
    %v28 = stablehlo.broadcast_in_dim %v27, dims = [0] : (tensor<2xbf16>) -> tensor<2x4xbf16>
    %v29 = stablehlo.exponential %v6 : tensor<2x4xbf16>
    %v30 = stablehlo.multiply %v29, %v28 : tensor<2x4xbf16>
    %v31 = stablehlo.subtract %v26, %v30 : tensor<2x4xbf16>
    %v32 = stablehlo.constant dense<0.0> : tensor<2x4xbf16>
    %v33 = stablehlo.add %v32, %v31 : tensor<2x4xbf16>
    %v36 = stablehlo.transpose %v3, dims = [1, 0] : (tensor<2x3xbf16>) -> tensor<3x2xbf16>
    %v37_accumulated = stablehlo.dot_general %v36, %v33, contracting_dims = [1] x [0] : (tensor<3x2xbf16>, tensor<2x4xbf16>) -> tensor<3x4xf32>
    %v37 = stablehlo.convert %v37_accumulated : (tensor<3x4xf32>) -> tensor<3x4xbf16>
    %v40 = stablehlo.constant dense<0.0> : tensor<3x4xbf16>
    %v41 = stablehlo.add %v40, %v37 : tensor<3x4xbf16>
    %v42 = stablehlo.convert %v41 : (tensor<3x4xbf16>) -> tensor<3x4xf32>
    %v43 = stablehlo.constant dense<0.0> : tensor<3x4xf32>
    %v44 = stablehlo.add %v43, %v42 : tensor<3x4xf32>
    return %v10, %v44 : tensor<f32>, tensor<3x4xf32>
  }
}
