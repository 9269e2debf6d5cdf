# Compiles the adapter with the jars that CLASSPATH lists, or with those of Debian, whose only implementation of JSON
# Processing is for Java EE: it needs the names of Jakarta EE, and to be named as the provider.
set -e
mkdir lib
if [ -n "$CLASSPATH" ]; then
  printf '%s\n' "$CLASSPATH" | tr : '\n' | while read -r jar; do cp "$jar" lib; done
else
  cp /usr/share/java/titanium-json-ld-*.jar /usr/share/java/jakarta.json-api.jar lib
  javax2jakarta -profile=EE /usr/share/java/javax.json.jar lib/jakarta.json.jar
  mkdir -p lib/META-INF/services
  echo org.glassfish.json.JsonProviderImpl >lib/META-INF/services/jakarta.json.spi.JsonProvider
fi
unset CLASSPATH
javac -cp 'lib/*' -d lib Serve.java Titanium.java
java -cp 'lib:lib/*' Titanium </dev/null
