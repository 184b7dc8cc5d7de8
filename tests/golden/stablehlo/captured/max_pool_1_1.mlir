module @topos {
  func.func @main(%arg0: tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>) {
    %v6_seed = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v6 = "stablehlo.reduce_window"(%arg0, %v6_seed) ({
    ^bb0(%v6_left: tensor<f32>, %v6_right: tensor<f32>):
      %v6_larger = stablehlo.maximum %v6_left, %v6_right : tensor<f32>
      stablehlo.return %v6_larger : tensor<f32>
    }) {window_dimensions = array<i64: 1, 1, 1, 1>, window_strides = array<i64: 1, 1, 1, 1>} : (tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
    return %v6 : tensor<1x1x2x2xf32>
  }
}
