module @topos {
  func.func @main(%arg0: tensor<12x3xf32>, %arg1: tensor<2x2x7x6xf32>) -> (tensor<f32>, tensor<12x3xf32>, tensor<2x2x7x6xf32>) {
    %v8_kernel = stablehlo.reshape %arg0 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v8_windows = stablehlo.convolution(%arg1, %v8_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 3], pad = [[0, 1], [2, 1]], rhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x7x6xf32>, tensor<2x3x2x3xf32>) -> tensor<2x4x3x3xf32>
    %v8 = stablehlo.reshape %v8_windows : (tensor<2x4x3x3xf32>) -> tensor<24x3xf32>
    %v9 = stablehlo.multiply %v8, %v8 : tensor<24x3xf32>
    %v10_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v10 = stablehlo.reduce(%v9 init: %v10_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x3xf32>, tensor<f32>) -> tensor<f32>
    %v11 = stablehlo.constant dense<1.0> : tensor<f32>
    %v12 = stablehlo.broadcast_in_dim %v11, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %v13 = stablehlo.constant dense<0.0> : tensor<24x3xf32>
    %v14 = stablehlo.add %v13, %v12 : tensor<24x3xf32>
    %v15 = stablehlo.multiply %v14, %v8 : tensor<24x3xf32>
    %v16 = stablehlo.multiply %v14, %v8 : tensor<24x3xf32>
    %v17 = stablehlo.constant dense<0.0> : tensor<24x3xf32>
    %v18 = stablehlo.add %v17, %v15 : tensor<24x3xf32>
    %v19 = stablehlo.add %v18, %v16 : tensor<24x3xf32>
    %v23_cotangent = stablehlo.reshape %v19 : (tensor<24x3xf32>) -> tensor<2x4x3x3xf32>
    %v23_kernel = stablehlo.convolution(%arg1, %v23_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [2, 0]], rhs_dilate = [1, 3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x7x6xf32>, tensor<2x4x3x3xf32>) -> tensor<2x3x2x3xf32>
    %v23 = stablehlo.reshape %v23_kernel : (tensor<2x3x2x3xf32>) -> tensor<12x3xf32>
    %v26 = stablehlo.constant dense<0.0> : tensor<12x3xf32>
    %v27 = stablehlo.add %v26, %v23 : tensor<12x3xf32>
    %v37_cotangent = stablehlo.reshape %v19 : (tensor<24x3xf32>) -> tensor<2x4x3x3xf32>
    %v37_kernel = stablehlo.reshape %arg0 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v37_reversed = stablehlo.reverse %v37_kernel, dims = [1, 2] : tensor<2x3x2x3xf32>
    %v37 = stablehlo.convolution(%v37_cotangent, %v37_reversed) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[4, 4], [1, 2]], lhs_dilate = [1, 3], rhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x3x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x2x8x9xf32>
    %v38 = stablehlo.constant dense<0.0> : tensor<2x2x8x9xf32>
    %v39 = stablehlo.add %v38, %v37 : tensor<2x2x8x9xf32>
    %v40 = stablehlo.slice %v39 [0:2, 0:2, 0:7, 0:9] : (tensor<2x2x8x9xf32>) -> tensor<2x2x7x9xf32>
    %v41 = stablehlo.constant dense<0.0> : tensor<2x2x7x9xf32>
    %v42 = stablehlo.add %v41, %v40 : tensor<2x2x7x9xf32>
    %v43 = stablehlo.slice %v42 [0:2, 0:2, 0:7, 2:8] : (tensor<2x2x7x9xf32>) -> tensor<2x2x7x6xf32>
    %v44 = stablehlo.constant dense<0.0> : tensor<2x2x7x6xf32>
    %v45 = stablehlo.add %v44, %v43 : tensor<2x2x7x6xf32>
    return %v10, %v27, %v45 : tensor<f32>, tensor<12x3xf32>, tensor<2x2x7x6xf32>
  }
}
