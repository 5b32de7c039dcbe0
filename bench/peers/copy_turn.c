// One turn of the plain copy of the peers' c/kernel.c over so many floats: copy_turn N REPEATS, built as kernel_turn.c
// is. Prints ns per float, of which it reads 4 bytes and writes 4.
#define main kernel_main
#include KERNEL_C
#undef main
#include <time.h>
static double wall(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec+1e-9*t.tv_nsec;}
int main(int argc,char**argv){
  int n=argc>1?atoi(argv[1]):20000000,repeats=argc>2?atoi(argv[2]):5,it=10;
  float*to=aligned_alloc(64,4*(size_t)n),*from=aligned_alloc(64,4*(size_t)n);
  for(int i=0;i<n;i++){to[i]=i%97;from[i]=i%13;}
  double cpu=1e30,real=1e30;
  for(int r=-1;r<repeats;r++){
    double a=now(),b=wall();
    for(int t=0;t<it;t++){copyk(n,to,from);__asm__ volatile(""::"r"(to):"memory");}
    double c=(now()-a)*1e9/((double)it*n),w=(wall()-b)*1e9/((double)it*n);
    if(r>=0&&c<cpu)cpu=c;
    if(r>=0&&w<real)real=w;
  }
  printf("{\"cpu\":%.5f,\"wall\":%.5f}\n",cpu,real);
}
