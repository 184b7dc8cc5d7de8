module @topos {
  func.func @main(%arg0: tensor<8x3xf32>, %arg1: tensor<8x2xf32>, %arg2: tensor<1x2x5x5xf32>) -> (tensor<f32>, tensor<8x3xf32>, tensor<8x2xf32>, tensor<1x2x5x5xf32>) {
    %v7_kernel = stablehlo.reshape %arg0 : (tensor<8x3xf32>) -> tensor<2x2x2x3xf32>
    %v7_windows = stablehlo.convolution(%arg2, %v7_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5xf32>, tensor<2x2x2x3xf32>) -> tensor<1x4x4x3xf32>
    %v7 = stablehlo.reshape %v7_windows : (tensor<1x4x4x3xf32>) -> tensor<16x3xf32>
    %v8_kernel = stablehlo.reshape %arg1 : (tensor<8x2xf32>) -> tensor<2x2x2x2xf32>
    %v8_windows = stablehlo.convolution(%arg2, %v8_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5xf32>, tensor<2x2x2x2xf32>) -> tensor<1x4x4x2xf32>
    %v8 = stablehlo.reshape %v8_windows : (tensor<1x4x4x2xf32>) -> tensor<16x2xf32>
    %v9 = stablehlo.multiply %v8, %v8 : tensor<16x2xf32>
    %v10_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v10 = stablehlo.reduce(%v9 init: %v10_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x2xf32>, tensor<f32>) -> tensor<f32>
    %v11 = stablehlo.multiply %v7, %v7 : tensor<16x3xf32>
    %v12_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v12 = stablehlo.reduce(%v11 init: %v12_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x3xf32>, tensor<f32>) -> tensor<f32>
    %v13 = stablehlo.add %v12, %v10 : tensor<f32>
    %v14 = stablehlo.constant dense<1.0> : tensor<f32>
    %v15 = stablehlo.constant dense<0.0> : tensor<f32>
    %v16 = stablehlo.add %v15, %v14 : tensor<f32>
    %v17 = stablehlo.constant dense<0.0> : tensor<f32>
    %v18 = stablehlo.add %v17, %v14 : tensor<f32>
    %v19 = stablehlo.broadcast_in_dim %v16, dims = [] : (tensor<f32>) -> tensor<16x3xf32>
    %v20 = stablehlo.constant dense<0.0> : tensor<16x3xf32>
    %v21 = stablehlo.add %v20, %v19 : tensor<16x3xf32>
    %v22 = stablehlo.multiply %v21, %v7 : tensor<16x3xf32>
    %v23 = stablehlo.multiply %v21, %v7 : tensor<16x3xf32>
    %v24 = stablehlo.constant dense<0.0> : tensor<16x3xf32>
    %v25 = stablehlo.add %v24, %v22 : tensor<16x3xf32>
    %v26 = stablehlo.add %v25, %v23 : tensor<16x3xf32>
    %v27 = stablehlo.broadcast_in_dim %v18, dims = [] : (tensor<f32>) -> tensor<16x2xf32>
    %v28 = stablehlo.constant dense<0.0> : tensor<16x2xf32>
    %v29 = stablehlo.add %v28, %v27 : tensor<16x2xf32>
    %v30 = stablehlo.multiply %v29, %v8 : tensor<16x2xf32>
    %v31 = stablehlo.multiply %v29, %v8 : tensor<16x2xf32>
    %v32 = stablehlo.constant dense<0.0> : tensor<16x2xf32>
    %v33 = stablehlo.add %v32, %v30 : tensor<16x2xf32>
    %v34 = stablehlo.add %v33, %v31 : tensor<16x2xf32>
    %v35 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
    %v36 = stablehlo.dot_general %v34, %v35, contracting_dims = [1] x [0] : (tensor<16x2xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
    %v38_cotangent = stablehlo.reshape %v34 : (tensor<16x2xf32>) -> tensor<1x4x4x2xf32>
    %v38_kernel = stablehlo.convolution(%arg2, %v38_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5xf32>, tensor<1x4x4x2xf32>) -> tensor<2x2x2x2xf32>
    %v38 = stablehlo.reshape %v38_kernel : (tensor<2x2x2x2xf32>) -> tensor<8x2xf32>
    %v39 = stablehlo.constant dense<0.0> : tensor<16x8xf32>
    %v40 = stablehlo.add %v39, %v36 : tensor<16x8xf32>
    %v41 = stablehlo.constant dense<0.0> : tensor<8x2xf32>
    %v42 = stablehlo.add %v41, %v38 : tensor<8x2xf32>
    %v43 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x3xf32>) -> tensor<3x8xf32>
    %v44 = stablehlo.dot_general %v26, %v43, contracting_dims = [1] x [0] : (tensor<16x3xf32>, tensor<3x8xf32>) -> tensor<16x8xf32>
    %v46_cotangent = stablehlo.reshape %v26 : (tensor<16x3xf32>) -> tensor<1x4x4x3xf32>
    %v46_kernel = stablehlo.convolution(%arg2, %v46_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x5xf32>, tensor<1x4x4x3xf32>) -> tensor<2x2x2x3xf32>
    %v46 = stablehlo.reshape %v46_kernel : (tensor<2x2x2x3xf32>) -> tensor<8x3xf32>
    %v47 = stablehlo.add %v40, %v44 : tensor<16x8xf32>
    %v48 = stablehlo.constant dense<0.0> : tensor<8x3xf32>
    %v49 = stablehlo.add %v48, %v46 : tensor<8x3xf32>
    %v50 = stablehlo.reshape %v47 : (tensor<16x8xf32>) -> tensor<1x4x4x2x2x2xf32>
    %v51 = stablehlo.constant dense<0.0> : tensor<1x4x4x2x2x2xf32>
    %v52 = stablehlo.add %v51, %v50 : tensor<1x4x4x2x2x2xf32>
    %v53 = stablehlo.transpose %v52, dims = [0, 3, 1, 4, 2, 5] : (tensor<1x4x4x2x2x2xf32>) -> tensor<1x2x4x2x4x2xf32>
    %v54 = stablehlo.constant dense<0.0> : tensor<1x2x4x2x4x2xf32>
    %v55 = stablehlo.add %v54, %v53 : tensor<1x2x4x2x4x2xf32>
    %v56_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0]], [[0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]]]> : tensor<4x2x5xf32>
    %v56 = stablehlo.dot_general %v55, %v56_weights, contracting_dims = [4, 5] x [0, 1] : (tensor<1x2x4x2x4x2xf32>, tensor<4x2x5xf32>) -> tensor<1x2x4x2x5xf32>
    %v57 = stablehlo.constant dense<0.0> : tensor<1x2x4x2x5xf32>
    %v58 = stablehlo.add %v57, %v56 : tensor<1x2x4x2x5xf32>
    %v59_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0]], [[0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]]]> : tensor<4x2x5xf32>
    %v59_joined = stablehlo.dot_general %v58, %v59_weights, contracting_dims = [2, 3] x [0, 1] : (tensor<1x2x4x2x5xf32>, tensor<4x2x5xf32>) -> tensor<1x2x5x5xf32>
    %v59 = stablehlo.transpose %v59_joined, dims = [0, 1, 3, 2] : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
    %v60 = stablehlo.constant dense<0.0> : tensor<1x2x5x5xf32>
    %v61 = stablehlo.add %v60, %v59 : tensor<1x2x5x5xf32>
    return %v13, %v49, %v42, %v61 : tensor<f32>, tensor<8x3xf32>, tensor<8x2xf32>, tensor<1x2x5x5xf32>
  }
}
