module @topos {
  func.func @main(%arg0: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>) {
    %v1 = stablehlo.constant dense<> : tensor<0x3xf32>
    %v2_mask = stablehlo.compare GE, %arg0, %v1, FLOAT : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xi1>
    %v2_ones = stablehlo.constant dense<> : tensor<0x3xf32>
    %v2_zeros = stablehlo.constant dense<> : tensor<0x3xf32>
    %v2 = stablehlo.select %v2_mask, %v2_ones, %v2_zeros : tensor<0x3xi1>, tensor<0x3xf32>
    %v3_seed = stablehlo.constant dense<0.0> : tensor<f32>
    %v3 = stablehlo.reduce(%arg0 init: %v3_seed) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %v2, %v3 : tensor<0x3xf32>, tensor<3xf32>
  }
}
