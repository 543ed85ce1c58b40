/* Weights of the second derivative, of order 8 and 16, as in kernels.kata. */
#ifndef ACOUSTIC_WEIGHTS_H
#define ACOUSTIC_WEIGHTS_H

static const float acoustic8_weights[] = {-2.8472222222222222, 1.6, -0.2, 0.025396825396825397,
                                          -0.0017857142857142857};
static const float acoustic16_weights[] = {
    -3.0548441043083900,  1.7777777777777778,     -0.31111111111111111,
    0.075420875420875421, -0.017676767676767677,  0.0034809634809634810,
    -5.18000518000518e-4, 5.0742907885765028e-05, -2.4281274281274281e-06};

#endif
