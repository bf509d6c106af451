// Compares table shapes for documents on stock SQLite: cc -O2 shape.c -lsqlite3 -o shape
#include <stdint.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
static const int ROWS = 40000, UPDATES = 10000;
static double cpu(void){struct rusage u;getrusage(RUSAGE_SELF,&u);return u.ru_utime.tv_sec+u.ru_stime.tv_sec+(u.ru_utime.tv_usec+u.ru_stime.tv_usec)/1e6;}
static void die(sqlite3*d,const char*s){fprintf(stderr,"%s: %s\n",s,sqlite3_errmsg(d));exit(1);}
static void run(sqlite3*d,const char*s){if(sqlite3_exec(d,s,0,0,0))die(d,s);}
static void field(sqlite3_context*c,int n,sqlite3_value**v){const unsigned char*b=sqlite3_value_blob(v[0]);int k=sqlite3_value_int(v[1]);int64_t x;if(!b){sqlite3_result_null(c);return;}memcpy(&x,b+8*k,8);sqlite3_result_int64(c,x);}
// 1 where one of the first n fields differs
static void differs(sqlite3_context*c,int n,sqlite3_value**v){const unsigned char*a=sqlite3_value_blob(v[0]),*b=sqlite3_value_blob(v[1]);int k=sqlite3_value_int(v[2]);sqlite3_result_int(c,memcmp(a,b,8*k)!=0);}
static uint64_t rng=88172645463325252ull;static uint64_t rnd(void){rng^=rng<<13;rng^=rng>>7;rng^=rng<<17;return rng;}
static void body(unsigned char*b,int i,int salt){int64_t*f=(int64_t*)b;for(int k=0;k<6;k++)f[k]=(int64_t)(((uint64_t)i*2654435761u+k*977)%100000);f[6]=salt;}
int main(int argc,char**argv){
  const char*shape=argv[1];int n=atoi(argv[2]);int change=argc>3?atoi(argv[3]):0;
  char path[64];sprintf(path,"/tmp/fmt/db-%d",getpid());
  char wal[80];sprintf(wal,"%s-wal",path);unlink(path);unlink(wal);
  sqlite3*d;if(sqlite3_open(path,&d))return 1;
  sqlite3_create_function_v2(d,"field",2,SQLITE_UTF8|SQLITE_DETERMINISTIC,0,field,0,0,0);
  sqlite3_create_function_v2(d,"differs",3,SQLITE_UTF8|SQLITE_DETERMINISTIC,0,differs,0,0,0);
  run(d,"PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA cache_size=-32768;PRAGMA wal_autocheckpoint=0");
  int stable=strcmp(shape,"sequence")!=0;int keys=strncmp(shape,"key",3)==0;int rowidkeys=!strcmp(shape,"keyrow");
  if(!stable){run(d,"CREATE TABLE d(sequence INTEGER PRIMARY KEY,id TEXT NOT NULL,flags INTEGER NOT NULL,revision BLOB NOT NULL,expires INTEGER,body BLOB,tree BLOB) STRICT;CREATE UNIQUE INDEX d_id ON d(id)");}
  else run(d,"CREATE TABLE d(number INTEGER PRIMARY KEY,id TEXT NOT NULL,sequence INTEGER NOT NULL,flags INTEGER NOT NULL,revision BLOB NOT NULL,expires INTEGER,body BLOB,tree BLOB) STRICT;CREATE UNIQUE INDEX d_id ON d(id);CREATE UNIQUE INDEX d_seq ON d(sequence)");
  char sql[4096];
  if(keys&&n){char ins[2000]="",up[2000]="",del[2000]="";
    for(int k=0;k<n;k++){
      if(rowidkeys) sprintf(sql,"CREATE TABLE k%d(document INTEGER PRIMARY KEY,key ANY) STRICT;CREATE INDEX k%d_key ON k%d(key)",k,k,k);
      else sprintf(sql,"CREATE TABLE k%d(key ANY,document INTEGER,PRIMARY KEY(key,document)) WITHOUT ROWID,STRICT",k);
      run(d,sql);
      if(rowidkeys){
      sprintf(ins+strlen(ins),"INSERT OR IGNORE INTO k%d(document,key) VALUES(new.number,field(new.body,%d));",k,k);
      sprintf(up+strlen(up),"UPDATE OR REPLACE k%d SET key=field(new.body,%d) WHERE document=new.number AND field(new.body,%d) IS NOT field(old.body,%d);",k,k,k,k);
      } else {
      sprintf(ins+strlen(ins),"INSERT OR IGNORE INTO k%d(key,document) VALUES(field(new.body,%d),new.number);",k,k);
      sprintf(up+strlen(up),"DELETE FROM k%d WHERE key=field(old.body,%d) AND document=new.number AND field(new.body,%d) IS NOT field(old.body,%d);INSERT OR IGNORE INTO k%d VALUES(field(new.body,%d),new.number);",k,k,k,k,k,k);
      }
    }
    if(!strcmp(shape,"keytriggers")||rowidkeys){sprintf(sql,"CREATE TRIGGER t_i AFTER INSERT ON d BEGIN %s END",ins);run(d,sql);
    sprintf(sql,"CREATE TRIGGER t_u AFTER UPDATE OF body ON d WHEN differs(old.body,new.body,%d) BEGIN %s END",n,up);run(d,sql);}
  } else for(int k=0;k<n;k++){sprintf(sql,"CREATE INDEX x%d ON d(field(body,%d))",k,k);run(d,sql);}
  sqlite3_stmt*s,*ks[8];
  unsigned char b[255];for(int i=0;i<255;i++)b[i]=rnd();
  double t=cpu();
  run(d,"BEGIN");
  const char*insql=stable?"INSERT OR FAIL INTO d(sequence,id,flags,revision,body,tree) VALUES(?1,?2,0,?3,?4,NULL)":"INSERT OR FAIL INTO d(sequence,id,flags,revision,body,tree) VALUES(?1,?2,0,?3,?4,NULL)";
  if(sqlite3_prepare_v2(d,insql,-1,&s,0))die(d,insql);
  int byhand=!strcmp(shape,"keywriter");
  if(byhand)for(int k=0;k<n;k++){sprintf(sql,"INSERT INTO k%d VALUES(?1,?2)",k);sqlite3_prepare_v2(d,sql,-1,&ks[k],0);}
  char id[32];unsigned char rev[21];
  for(int i=1;i<=ROWS;i++){sprintf(id,"doc-%010d",i);for(int j=0;j<21;j++)rev[j]=rnd();body(b,i,0);
    sqlite3_bind_int64(s,1,i);sqlite3_bind_text(s,2,id,-1,SQLITE_STATIC);sqlite3_bind_blob(s,3,rev,21,SQLITE_STATIC);sqlite3_bind_blob(s,4,b,255,SQLITE_STATIC);
    if(sqlite3_step(s)!=SQLITE_DONE)die(d,"ins");sqlite3_reset(s);
    if(byhand)for(int k=0;k<n;k++){int64_t x;memcpy(&x,b+8*k,8);sqlite3_bind_int64(ks[k],1,x);sqlite3_bind_int64(ks[k],2,sqlite3_last_insert_rowid(d));sqlite3_step(ks[k]);sqlite3_reset(ks[k]);}}
  run(d,"COMMIT");double ti=cpu()-t;sqlite3_finalize(s);
  run(d,"PRAGMA wal_checkpoint(TRUNCATE)");struct stat st;stat(path,&st);long size=st.st_size;
  const char*selsql="SELECT sequence,flags,revision,body,tree FROM d WHERE id=?1";
  const char*upsql=stable?"UPDATE OR FAIL d SET sequence=?2,flags=0,revision=?3,body=?4,tree=?5 WHERE number=?1":"UPDATE OR FAIL d SET sequence=?2,flags=0,revision=?3,body=?4,tree=?5 WHERE sequence=?1";
  if(stable)selsql="SELECT number,flags,revision,body,tree FROM d WHERE id=?1";
  sqlite3_stmt*sel,*up;if(sqlite3_prepare_v2(d,selsql,-1,&sel,0))die(d,selsql);if(sqlite3_prepare_v2(d,upsql,-1,&up,0))die(d,upsql);
  t=cpu();run(d,"BEGIN");
  for(int i=0;i<UPDATES;i++){int j=1+rnd()%ROWS;sprintf(id,"doc-%010d",j);sqlite3_bind_text(sel,1,id,-1,SQLITE_STATIC);
    if(sqlite3_step(sel)!=SQLITE_ROW)die(d,"sel");int64_t key=sqlite3_column_int64(sel,0);memcpy(b,sqlite3_column_blob(sel,3),255);sqlite3_reset(sel);
    body(b,change?j+i*7919:j,i);for(int q=0;q<21;q++)rev[q]=rnd();
    sqlite3_bind_int64(up,1,key);sqlite3_bind_int64(up,2,ROWS+1+i);sqlite3_bind_blob(up,3,rev,21,SQLITE_STATIC);sqlite3_bind_blob(up,4,b,255,SQLITE_STATIC);sqlite3_bind_blob(up,5,rev,21,SQLITE_STATIC);
    if(sqlite3_step(up)!=SQLITE_DONE)die(d,"up");sqlite3_reset(up);}
  run(d,"COMMIT");double tu=cpu()-t;stat(wal,&st);long log=st.st_size;
  sqlite3_finalize(sel);sqlite3_finalize(up);
  run(d,"PRAGMA wal_checkpoint(TRUNCATE)");
  const char*scan="SELECT sequence,id,flags,revision FROM d WHERE sequence>?1 ORDER BY sequence";
  if(sqlite3_prepare_v2(d,scan,-1,&s,0))die(d,scan);double best=1e9;
  for(int r=0;r<5;r++){t=cpu();sqlite3_bind_int64(s,1,0);long c=0;while(sqlite3_step(s)==SQLITE_ROW){c+=sqlite3_column_int64(s,0)+sqlite3_column_bytes(s,1)+sqlite3_column_bytes(s,3);}sqlite3_reset(s);double x=cpu()-t;if(x<best)best=x;if(c==0)return 1;}
  sqlite3_finalize(s);
  const char*all="SELECT field(body,5) FROM d";sqlite3_prepare_v2(d,all,-1,&s,0);double full=1e9;
  for(int r=0;r<5;r++){t=cpu();long c=0;while(sqlite3_step(s)==SQLITE_ROW)c+=sqlite3_column_int64(s,0);sqlite3_reset(s);double x=cpu()-t;if(x<full)full=x;}
  sqlite3_finalize(s);
  printf("%-12s %d %s insert %5.2f us  update %5.2f us  log %5.1f MB  file %5.1f MB  seq scan %4.2f us/row  scan %4.2f us/row\n",shape,n,change?"keys change":"           ",ti/ROWS*1e6,tu/UPDATES*1e6,log/1e6,size/1e6,best/ROWS*1e6,full/ROWS*1e6);
  sqlite3_close(d);unlink(path);unlink(wal);return 0;}
