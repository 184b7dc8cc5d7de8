module @topos {
  func.func @main(%arg0: tensor<3x2x3x2xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x2x10x9xf32>) -> (tensor<f32>, tensor<3x2x3x2xf32>, tensor<3xf32>, tensor<2x2x10x9xf32>) {
    %v7 = stablehlo.transpose %arg0, dims = [1, 2, 3, 0] : (tensor<3x2x3x2xf32>) -> tensor<2x3x2x3xf32>
    %v8 = stablehlo.reshape %v7 : (tensor<2x3x2x3xf32>) -> tensor<12x3xf32>
    %v9_kernel = stablehlo.reshape %v8 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v9_windows = stablehlo.convolution(%arg2, %v9_kernel) dim_numbers = [b, f, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x10x9xf32>, tensor<2x3x2x3xf32>) -> tensor<2x8x8x3xf32>
    %v9 = stablehlo.reshape %v9_windows : (tensor<2x8x8x3xf32>) -> tensor<128x3xf32>
    %v10 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<128x3xf32>
    %v11 = stablehlo.add %v9, %v10 : tensor<128x3xf32>
    %v12 = stablehlo.reshape %v11 : (tensor<128x3xf32>) -> tensor<2x8x8x3xf32>
    %v13 = stablehlo.transpose %v12, dims = [0, 3, 1, 2] : (tensor<2x8x8x3xf32>) -> tensor<2x3x8x8xf32>
    %v14 = stablehlo.constant dense<0.0> : tensor<2x3x8x8xf32>
    %v15 = stablehlo.maximum %v13, %v14 : tensor<2x3x8x8xf32>
    %v21_seed = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v21 = "stablehlo.reduce_window"(%v15, %v21_seed) ({
    ^bb0(%v21_left: tensor<f32>, %v21_right: tensor<f32>):
      %v21_larger = stablehlo.maximum %v21_left, %v21_right : tensor<f32>
      stablehlo.return %v21_larger : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 1, 1>, window_strides = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8x8xf32>
    %v22 = stablehlo.multiply %v21, %v21 : tensor<2x3x8x8xf32>
    %v23_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v23 = stablehlo.reduce(%v22 init: %v23_seed) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<f32>
    %v24 = stablehlo.constant dense<1.0> : tensor<f32>
    %v25 = stablehlo.broadcast_in_dim %v24, dims = [] : (tensor<f32>) -> tensor<2x3x8x8xf32>
    %v26 = stablehlo.constant dense<0.0> : tensor<2x3x8x8xf32>
    %v27 = stablehlo.add %v26, %v25 : tensor<2x3x8x8xf32>
    %v28 = stablehlo.multiply %v27, %v21 : tensor<2x3x8x8xf32>
    %v29 = stablehlo.multiply %v27, %v21 : tensor<2x3x8x8xf32>
    %v30 = stablehlo.constant dense<0.0> : tensor<2x3x8x8xf32>
    %v31 = stablehlo.add %v30, %v28 : tensor<2x3x8x8xf32>
    %v32 = stablehlo.add %v31, %v29 : tensor<2x3x8x8xf32>
    %v33 = stablehlo.reshape %v32 : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8x1xf32>
    %v34 = stablehlo.constant dense<0.0> : tensor<2x3x8x8x1xf32>
    %v35 = stablehlo.add %v34, %v33 : tensor<2x3x8x8x1xf32>
    %v36_zero = stablehlo.constant dense<0.0> : tensor<f32>
    %v36 = stablehlo.pad %v35, %v36_zero, low = [0, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<2x3x8x8x1xf32>, tensor<f32>) -> tensor<2x3x8x8x1xf32>
    %v37 = stablehlo.constant dense<0.0> : tensor<2x3x8x8x1xf32>
    %v38 = stablehlo.add %v37, %v36 : tensor<2x3x8x8x1xf32>
    %v39 = stablehlo.reshape %v38 : (tensor<2x3x8x8x1xf32>) -> tensor<2x3x8x8x1x1xf32>
    %v40 = stablehlo.constant dense<0.0> : tensor<2x3x8x8x1x1xf32>
    %v41 = stablehlo.add %v40, %v39 : tensor<2x3x8x8x1x1xf32>
    %v42 = stablehlo.transpose %v41, dims = [0, 1, 2, 4, 3, 5] : (tensor<2x3x8x8x1x1xf32>) -> tensor<2x3x8x1x8x1xf32>
    %v43 = stablehlo.constant dense<0.0> : tensor<2x3x8x1x8x1xf32>
    %v44 = stablehlo.add %v43, %v42 : tensor<2x3x8x1x8x1xf32>
    %v45_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]]> : tensor<8x1x8xf32>
    %v45 = stablehlo.dot_general %v44, %v45_weights, contracting_dims = [4, 5] x [0, 1] : (tensor<2x3x8x1x8x1xf32>, tensor<8x1x8xf32>) -> tensor<2x3x8x1x8xf32>
    %v46 = stablehlo.constant dense<0.0> : tensor<2x3x8x1x8xf32>
    %v47 = stablehlo.add %v46, %v45 : tensor<2x3x8x1x8xf32>
    %v48_weights = stablehlo.constant dense<[[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]], [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]]> : tensor<8x1x8xf32>
    %v48_joined = stablehlo.dot_general %v47, %v48_weights, contracting_dims = [2, 3] x [0, 1] : (tensor<2x3x8x1x8xf32>, tensor<8x1x8xf32>) -> tensor<2x3x8x8xf32>
    %v48 = stablehlo.transpose %v48_joined, dims = [0, 1, 3, 2] : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
    %v49 = stablehlo.constant dense<0.0> : tensor<2x3x8x8xf32>
    %v50 = stablehlo.add %v49, %v48 : tensor<2x3x8x8xf32>
    %v51_mask = stablehlo.compare GE, %v14, %v13, FLOAT : (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xi1>
    %v51_ones = stablehlo.constant dense<1.0> : tensor<2x3x8x8xf32>
    %v51_zeros = stablehlo.constant dense<0.0> : tensor<2x3x8x8xf32>
    %v51 = stablehlo.select %v51_mask, %v51_ones, %v51_zeros : tensor<2x3x8x8xi1>, tensor<2x3x8x8xf32>
    %v53 = stablehlo.constant dense<1.0> : tensor<2x3x8x8xf32>
    %v54 = stablehlo.subtract %v53, %v51 : tensor<2x3x8x8xf32>
    %v55 = stablehlo.multiply %v50, %v54 : tensor<2x3x8x8xf32>
    %v56 = stablehlo.constant dense<0.0> : tensor<2x3x8x8xf32>
    %v57 = stablehlo.add %v56, %v55 : tensor<2x3x8x8xf32>
    %v60 = stablehlo.transpose %v57, dims = [0, 2, 3, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x8x8x3xf32>
    %v61 = stablehlo.constant dense<0.0> : tensor<2x8x8x3xf32>
    %v62 = stablehlo.add %v61, %v60 : tensor<2x8x8x3xf32>
    %v63 = stablehlo.reshape %v62 : (tensor<2x8x8x3xf32>) -> tensor<128x3xf32>
    %v64 = stablehlo.constant dense<0.0> : tensor<128x3xf32>
    %v65 = stablehlo.add %v64, %v63 : tensor<128x3xf32>
    %v66 = stablehlo.constant dense<0.0> : tensor<128x3xf32>
    %v67 = stablehlo.add %v66, %v65 : tensor<128x3xf32>
    %v68 = stablehlo.constant dense<0.0> : tensor<128x3xf32>
    %v69 = stablehlo.add %v68, %v65 : tensor<128x3xf32>
    %v70_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v70 = stablehlo.reduce(%v69 init: %v70_seed) applies stablehlo.add across dimensions = [0] : (tensor<128x3xf32>, tensor<f32>) -> tensor<3xf32>
    %v71 = stablehlo.constant dense<0.0> : tensor<3xf32>
    %v72 = stablehlo.add %v71, %v70 : tensor<3xf32>
    %v76_cotangent = stablehlo.reshape %v67 : (tensor<128x3xf32>) -> tensor<2x8x8x3xf32>
    %v76_kernel = stablehlo.convolution(%arg2, %v76_cotangent) dim_numbers = [f, b, 0, 1]x[i, 0, 1, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x2x10x9xf32>, tensor<2x8x8x3xf32>) -> tensor<2x3x2x3xf32>
    %v76 = stablehlo.reshape %v76_kernel : (tensor<2x3x2x3xf32>) -> tensor<12x3xf32>
    %v79 = stablehlo.constant dense<0.0> : tensor<12x3xf32>
    %v80 = stablehlo.add %v79, %v76 : tensor<12x3xf32>
    %v81 = stablehlo.reshape %v80 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v82 = stablehlo.constant dense<0.0> : tensor<2x3x2x3xf32>
    %v83 = stablehlo.add %v82, %v81 : tensor<2x3x2x3xf32>
    %v84 = stablehlo.transpose %v83, dims = [3, 0, 1, 2] : (tensor<2x3x2x3xf32>) -> tensor<3x2x3x2xf32>
    %v85 = stablehlo.constant dense<0.0> : tensor<3x2x3x2xf32>
    %v86 = stablehlo.add %v85, %v84 : tensor<3x2x3x2xf32>
    %v96_cotangent = stablehlo.reshape %v67 : (tensor<128x3xf32>) -> tensor<2x8x8x3xf32>
    %v96_kernel = stablehlo.reshape %v8 : (tensor<12x3xf32>) -> tensor<2x3x2x3xf32>
    %v96_reversed = stablehlo.reverse %v96_kernel, dims = [1, 2] : tensor<2x3x2x3xf32>
    %v96 = stablehlo.convolution(%v96_cotangent, %v96_reversed) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x2x10x9xf32>
    %v97 = stablehlo.constant dense<0.0> : tensor<2x2x10x9xf32>
    %v98 = stablehlo.add %v97, %v96 : tensor<2x2x10x9xf32>
    return %v23, %v86, %v72, %v98 : tensor<f32>, tensor<3x2x3x2xf32>, tensor<3xf32>, tensor<2x2x10x9xf32>
  }
}
