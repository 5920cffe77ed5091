# The dashboard as a user without rights; what is uploaded is kept in the volume /workspace. See docs/reference/deploy.md.
FROM python:3.13-slim

ARG EXTRAS=login
COPY . /src
RUN pip install --no-cache-dir "/src[$EXTRAS]" \
    && rm -rf /src \
    && useradd --uid 10001 --create-home --shell /usr/sbin/nologin ragdash \
    && install -d -o ragdash -g ragdash -m 0700 /workspace

USER ragdash
WORKDIR /app
ENV RAGDASH_WORKSPACE=/workspace XDG_CACHE_HOME=/workspace/.cache
VOLUME /workspace
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["ragdash", "dashboard", "--no-browser", "--host", "0.0.0.0", "--port", "8501"]
