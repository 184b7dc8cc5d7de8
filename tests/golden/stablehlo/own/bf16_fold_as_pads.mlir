module @topos {
  func.func @main(%arg0: tensor<300x2x2xbf16>, %arg1: tensor<70000x1xbf16>) -> (tensor<301x2xbf16>, tensor<70000xbf16>) {
    %v2_zero = stablehlo.constant dense<0.0> : tensor<bf16>
    %v2_lane0 = stablehlo.slice %arg0 [0:300, 0:1, 0:2] : (tensor<300x2x2xbf16>) -> tensor<300x1x2xbf16>
    %v2_line0 = stablehlo.reshape %v2_lane0 : (tensor<300x1x2xbf16>) -> tensor<300x2xbf16>
    %v2_spread0 = stablehlo.pad %v2_line0, %v2_zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<300x2xbf16>, tensor<bf16>) -> tensor<301x2xbf16>
    %v2_spread0_promoted = stablehlo.convert %v2_spread0 : (tensor<301x2xbf16>) -> tensor<301x2xf32>
    %v2_lane1 = stablehlo.slice %arg0 [0:300, 1:2, 0:2] : (tensor<300x2x2xbf16>) -> tensor<300x1x2xbf16>
    %v2_line1 = stablehlo.reshape %v2_lane1 : (tensor<300x1x2xbf16>) -> tensor<300x2xbf16>
    %v2_spread1 = stablehlo.pad %v2_line1, %v2_zero, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<300x2xbf16>, tensor<bf16>) -> tensor<301x2xbf16>
    %v2_spread1_promoted = stablehlo.convert %v2_spread1 : (tensor<301x2xbf16>) -> tensor<301x2xf32>
    %v2_accumulated = stablehlo.add %v2_spread0_promoted, %v2_spread1_promoted : tensor<301x2xf32>
    %v2 = stablehlo.convert %v2_accumulated : (tensor<301x2xf32>) -> tensor<301x2xbf16>
    %v3_zero = stablehlo.constant dense<0.0> : tensor<bf16>
    %v3_lane0 = stablehlo.slice %arg1 [0:70000, 0:1] : (tensor<70000x1xbf16>) -> tensor<70000x1xbf16>
    %v3_line0 = stablehlo.reshape %v3_lane0 : (tensor<70000x1xbf16>) -> tensor<70000xbf16>
    %v3 = stablehlo.pad %v3_line0, %v3_zero, low = [0], high = [0], interior = [0] : (tensor<70000xbf16>, tensor<bf16>) -> tensor<70000xbf16>
    return %v2, %v3 : tensor<301x2xbf16>, tensor<70000xbf16>
  }
}
