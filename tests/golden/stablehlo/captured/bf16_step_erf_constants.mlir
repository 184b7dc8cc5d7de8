module @topos {
  func.func @main(%arg0: tensor<3xbf16>, %arg1: tensor<3xbf16>) -> (tensor<5xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<bf16>, tensor<3xbf16>) {
    %v2_zero = stablehlo.constant dense<0.0> : tensor<bf16>
    %v2 = stablehlo.pad %arg0, %v2_zero, low = [1], high = [1], interior = [0] : (tensor<3xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %v3_mask = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xi1>
    %v3_ones = stablehlo.constant dense<1.0> : tensor<3xbf16>
    %v3_zeros = stablehlo.constant dense<0.0> : tensor<3xbf16>
    %v3 = stablehlo.select %v3_mask, %v3_ones, %v3_zeros : tensor<3xi1>, tensor<3xbf16>
    %v4 = chlo.erf %arg0 : tensor<3xbf16> -> tensor<3xbf16>
    %v5_squared = stablehlo.multiply %arg0, %arg0 : tensor<3xbf16>
    %v5_negated = stablehlo.negate %v5_squared : tensor<3xbf16>
    %v5_bell = stablehlo.exponential %v5_negated : tensor<3xbf16>
    %v5_scale = stablehlo.constant dense<1.1283791670955126> : tensor<3xbf16>
    %v5 = stablehlo.multiply %v5_bell, %v5_scale : tensor<3xbf16>
    %v6 = stablehlo.constant dense<0.100097656> : tensor<bf16>
    %v7 = stablehlo.constant dense<[0x7F80, 0x7FC0, 1.00025555e30]> : tensor<3xbf16>
    return %v2, %v3, %v4, %v5, %v6, %v7 : tensor<5xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<bf16>, tensor<3xbf16>
  }
}
