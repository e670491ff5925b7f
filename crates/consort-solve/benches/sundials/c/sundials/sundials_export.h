/* Static library: nothing is imported or exported. */
#define SUNDIALS_EXPORT
#define SUNDIALS_NO_EXPORT
#define SUNDIALS_DEPRECATED
#define SUNDIALS_DEPRECATED_EXPORT
#define SUNDIALS_DEPRECATED_NO_EXPORT
