// One turn of the update kernels of the peers' c/kernel.c at one size: kernel_turn N REPEATS, built with
// -DKERNEL_C="\"…/kernel.c\"" and the flags of its SSE4.1 build. Prints ns per atom of CPU time.
#define main kernel_main
#include KERNEL_C
#undef main
#include <time.h>
static double wall(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec+1e-9*t.tv_nsec;}
int main(int argc,char**argv){
  int N=argc>1?atoi(argv[1]):100000,repeats=argc>2?atoi(argv[2]):5,n=3*N,it=(int)(2e8/n);
  float*x=aligned_alloc(64,n*4),*v=aligned_alloc(64,n*4),*f=aligned_alloc(64,n*4);
  for(int i=0;i<n;i++){x[i]=i%97;v[i]=(i%13)*1e-3f;f[i]=(i%7-3)*1e-3f;}
  double cpu[2]={1e30,1e30},real[2]={1e30,1e30};
  for(int r=-1;r<repeats;r++)for(int k=0;k<2;k++){
    double a=now(),b=wall();
    for(int t=0;t<it;t++){kick_drift(n,x,v,f,1e-6f,1e-3f);if(k)kick(n,v,f,-1e-6f);}
    double c=(now()-a)*1e9/((double)it*N),w=(wall()-b)*1e9/((double)it*N);
    if(r>=0&&c<cpu[k])cpu[k]=c;
    if(r>=0&&w<real[k])real[k]=w;
  }
  printf("{\"kick_drift\":{\"cpu\":%.5f,\"wall\":%.5f},\"vv_full\":{\"cpu\":%.5f,\"wall\":%.5f}}\n",cpu[0],real[0],cpu[1],real[1]);
}
