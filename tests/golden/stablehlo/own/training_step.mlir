module @topos {
  func.func @main(%arg0: tensor<27x10xf32>, %arg1: tensor<30x100xf32>, %arg2: tensor<100xf32>, %arg3: tensor<100x27xf32>, %arg4: tensor<27xf32>, %arg5: tensor<192x27xf32>, %arg6: tensor<64x27xf32>) -> (tensor<f32>, tensor<27x10xf32>, tensor<30x100xf32>, tensor<100xf32>, tensor<100x27xf32>, tensor<27xf32>) {
    %v7 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0] : (tensor<192x27xf32>, tensor<27x10xf32>) -> tensor<192x10xf32>
    %v8 = stablehlo.reshape %v7 : (tensor<192x10xf32>) -> tensor<64x30xf32>
    %v9 = stablehlo.dot_general %v8, %arg1, contracting_dims = [1] x [0] : (tensor<64x30xf32>, tensor<30x100xf32>) -> tensor<64x100xf32>
    %v10 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<100xf32>) -> tensor<64x100xf32>
    %v11 = stablehlo.add %v9, %v10 : tensor<64x100xf32>
    %v12 = stablehlo.tanh %v11 : tensor<64x100xf32>
    %v13 = stablehlo.dot_general %v12, %arg3, contracting_dims = [1] x [0] : (tensor<64x100xf32>, tensor<100x27xf32>) -> tensor<64x27xf32>
    %v14 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<27xf32>) -> tensor<64x27xf32>
    %v15 = stablehlo.add %v13, %v14 : tensor<64x27xf32>
    %v16_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v16 = stablehlo.reduce(%arg6 init: %v16_seed) applies stablehlo.add across dimensions = [1] : (tensor<64x27xf32>, tensor<f32>) -> tensor<64xf32>
    %v17_low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v17_peak = stablehlo.reduce(%v15 init: %v17_low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x27xf32>, tensor<f32>) -> tensor<64xf32>
    %v17_finite = stablehlo.is_finite %v17_peak : (tensor<64xf32>) -> tensor<64xi1>
    %v17_zeros = stablehlo.constant dense<0.0> : tensor<64xf32>
    %v17_shift = stablehlo.select %v17_finite, %v17_peak, %v17_zeros : tensor<64xi1>, tensor<64xf32>
    %v17_spread_peak = stablehlo.broadcast_in_dim %v17_shift, dims = [0] : (tensor<64xf32>) -> tensor<64x27xf32>
    %v17_centered = stablehlo.subtract %v15, %v17_spread_peak : tensor<64x27xf32>
    %v17_exp = stablehlo.exponential %v17_centered : tensor<64x27xf32>
    %v17_total_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v17_total = stablehlo.reduce(%v17_exp init: %v17_total_seed) applies stablehlo.add across dimensions = [1] : (tensor<64x27xf32>, tensor<f32>) -> tensor<64xf32>
    %v17_normalizer = stablehlo.log %v17_total : tensor<64xf32>
    %v17 = stablehlo.add %v17_shift, %v17_normalizer : tensor<64xf32>
    %v18 = stablehlo.multiply %v16, %v17 : tensor<64xf32>
    %v19_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v19 = stablehlo.reduce(%v18 init: %v19_seed) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    %v20 = stablehlo.multiply %arg6, %v15 : tensor<64x27xf32>
    %v21_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v21 = stablehlo.reduce(%v20 init: %v21_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x27xf32>, tensor<f32>) -> tensor<f32>
    %v22 = stablehlo.subtract %v19, %v21 : tensor<f32>
    %v23_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v23 = stablehlo.reduce(%arg6 init: %v23_seed) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x27xf32>, tensor<f32>) -> tensor<f32>
    %v24 = stablehlo.divide %v22, %v23 : tensor<f32>
    %v25 = stablehlo.constant dense<1.0> : tensor<f32>
    %v26 = stablehlo.divide %v25, %v23 : tensor<f32>
    %v30 = stablehlo.constant dense<0.0> : tensor<f32>
    %v31 = stablehlo.add %v30, %v26 : tensor<f32>
    %v37 = stablehlo.negate %v31 : tensor<f32>
    %v38 = stablehlo.constant dense<0.0> : tensor<f32>
    %v39 = stablehlo.add %v38, %v31 : tensor<f32>
    %v40 = stablehlo.constant dense<0.0> : tensor<f32>
    %v41 = stablehlo.add %v40, %v37 : tensor<f32>
    %v42 = stablehlo.broadcast_in_dim %v41, dims = [] : (tensor<f32>) -> tensor<64x27xf32>
    %v43 = stablehlo.constant dense<0.0> : tensor<64x27xf32>
    %v44 = stablehlo.add %v43, %v42 : tensor<64x27xf32>
    %v46 = stablehlo.multiply %v44, %arg6 : tensor<64x27xf32>
    %v48 = stablehlo.constant dense<0.0> : tensor<64x27xf32>
    %v49 = stablehlo.add %v48, %v46 : tensor<64x27xf32>
    %v50 = stablehlo.broadcast_in_dim %v39, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %v51 = stablehlo.constant dense<0.0> : tensor<64xf32>
    %v52 = stablehlo.add %v51, %v50 : tensor<64xf32>
    %v54 = stablehlo.multiply %v52, %v16 : tensor<64xf32>
    %v57 = stablehlo.constant dense<0.0> : tensor<64xf32>
    %v58 = stablehlo.add %v57, %v54 : tensor<64xf32>
    %v59 = stablehlo.constant dense<-3.4028235e38> : tensor<64xf32>
    %v60 = stablehlo.maximum %v17, %v59 : tensor<64xf32>
    %v61 = stablehlo.broadcast_in_dim %v60, dims = [0] : (tensor<64xf32>) -> tensor<64x27xf32>
    %v62 = stablehlo.subtract %v15, %v61 : tensor<64x27xf32>
    %v63 = stablehlo.exponential %v62 : tensor<64x27xf32>
    %v64 = stablehlo.broadcast_in_dim %v58, dims = [0] : (tensor<64xf32>) -> tensor<64x27xf32>
    %v65 = stablehlo.multiply %v64, %v63 : tensor<64x27xf32>
    %v66 = stablehlo.add %v49, %v65 : tensor<64x27xf32>
    %v69 = stablehlo.constant dense<0.0> : tensor<64x27xf32>
    %v70 = stablehlo.add %v69, %v66 : tensor<64x27xf32>
    %v71 = stablehlo.constant dense<0.0> : tensor<64x27xf32>
    %v72 = stablehlo.add %v71, %v66 : tensor<64x27xf32>
    %v73_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v73 = stablehlo.reduce(%v72 init: %v73_seed) applies stablehlo.add across dimensions = [0] : (tensor<64x27xf32>, tensor<f32>) -> tensor<27xf32>
    %v74 = stablehlo.constant dense<0.0> : tensor<27xf32>
    %v75 = stablehlo.add %v74, %v73 : tensor<27xf32>
    %v76 = stablehlo.transpose %arg3, dims = [1, 0] : (tensor<100x27xf32>) -> tensor<27x100xf32>
    %v77 = stablehlo.dot_general %v70, %v76, contracting_dims = [1] x [0] : (tensor<64x27xf32>, tensor<27x100xf32>) -> tensor<64x100xf32>
    %v78 = stablehlo.transpose %v12, dims = [1, 0] : (tensor<64x100xf32>) -> tensor<100x64xf32>
    %v79 = stablehlo.dot_general %v78, %v70, contracting_dims = [1] x [0] : (tensor<100x64xf32>, tensor<64x27xf32>) -> tensor<100x27xf32>
    %v80 = stablehlo.constant dense<0.0> : tensor<64x100xf32>
    %v81 = stablehlo.add %v80, %v77 : tensor<64x100xf32>
    %v82 = stablehlo.constant dense<0.0> : tensor<100x27xf32>
    %v83 = stablehlo.add %v82, %v79 : tensor<100x27xf32>
    %v84 = stablehlo.constant dense<1.0> : tensor<64x100xf32>
    %v85 = stablehlo.multiply %v12, %v12 : tensor<64x100xf32>
    %v86 = stablehlo.subtract %v84, %v85 : tensor<64x100xf32>
    %v87 = stablehlo.multiply %v81, %v86 : tensor<64x100xf32>
    %v88 = stablehlo.constant dense<0.0> : tensor<64x100xf32>
    %v89 = stablehlo.add %v88, %v87 : tensor<64x100xf32>
    %v90 = stablehlo.constant dense<0.0> : tensor<64x100xf32>
    %v91 = stablehlo.add %v90, %v89 : tensor<64x100xf32>
    %v92 = stablehlo.constant dense<0.0> : tensor<64x100xf32>
    %v93 = stablehlo.add %v92, %v89 : tensor<64x100xf32>
    %v94_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v94 = stablehlo.reduce(%v93 init: %v94_seed) applies stablehlo.add across dimensions = [0] : (tensor<64x100xf32>, tensor<f32>) -> tensor<100xf32>
    %v95 = stablehlo.constant dense<0.0> : tensor<100xf32>
    %v96 = stablehlo.add %v95, %v94 : tensor<100xf32>
    %v97 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<30x100xf32>) -> tensor<100x30xf32>
    %v98 = stablehlo.dot_general %v91, %v97, contracting_dims = [1] x [0] : (tensor<64x100xf32>, tensor<100x30xf32>) -> tensor<64x30xf32>
    %v99 = stablehlo.transpose %v8, dims = [1, 0] : (tensor<64x30xf32>) -> tensor<30x64xf32>
    %v100 = stablehlo.dot_general %v99, %v91, contracting_dims = [1] x [0] : (tensor<30x64xf32>, tensor<64x100xf32>) -> tensor<30x100xf32>
    %v101 = stablehlo.constant dense<0.0> : tensor<64x30xf32>
    %v102 = stablehlo.add %v101, %v98 : tensor<64x30xf32>
    %v103 = stablehlo.constant dense<0.0> : tensor<30x100xf32>
    %v104 = stablehlo.add %v103, %v100 : tensor<30x100xf32>
    %v105 = stablehlo.reshape %v102 : (tensor<64x30xf32>) -> tensor<192x10xf32>
    %v106 = stablehlo.constant dense<0.0> : tensor<192x10xf32>
    %v107 = stablehlo.add %v106, %v105 : tensor<192x10xf32>
    %v108 = stablehlo.dot_general %arg5, %v107, contracting_dims = [0] x [0] : (tensor<192x27xf32>, tensor<192x10xf32>) -> tensor<27x10xf32>
    %v109 = stablehlo.constant dense<0.0> : tensor<27x10xf32>
    %v110 = stablehlo.add %v109, %v108 : tensor<27x10xf32>
    return %v24, %v110, %v104, %v96, %v83, %v75 : tensor<f32>, tensor<27x10xf32>, tensor<30x100xf32>, tensor<100xf32>, tensor<100x27xf32>, tensor<27xf32>
  }
}
