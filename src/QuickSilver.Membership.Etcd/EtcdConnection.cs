using Etcdserverpb;
using Grpc.Core;
using Grpc.Net.Client;

namespace QuickSilver.Membership.Etcd;

/// <summary>A connection to a member of etcd, with the token of its user.</summary>
internal sealed class EtcdConnection : IDisposable
{
    private static readonly TimeSpan IdleTime = TimeSpan.FromMinutes(1);

    private readonly EtcdOptions _options;
    private readonly GrpcChannel _channel;
    private readonly Auth.AuthClient _users;
    private volatile string? _token;

    /// <summary>Makes one, which reads the files of certificates; it connects with the first call.</summary>
    /// <exception cref="IOException">A file cannot be read.</exception>
    public EtcdConnection(Uri address, EtcdOptions options)
    {
        _options = options;
        var handler = new SocketsHttpHandler
        {
            ConnectTimeout = options.RequestTimeout,
            EnableMultipleHttp2Connections = true,
            PooledConnectionIdleTimeout = IdleTime,
            UseProxy = false,
            AllowAutoRedirect = false,
        };
        if (options.HasCertificates) handler.SslOptions = EtcdCertificates.Read(options);
        // With a client the channel makes no pauses of its own after a failed connection.
        var client = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        _channel = GrpcChannel.ForAddress(
            address, new GrpcChannelOptions { HttpClient = client, DisposeHttpClient = true });
        Keys = new KV.KVClient(_channel);
        Leases = new Lease.LeaseClient(_channel);
        _users = new Auth.AuthClient(_channel);
    }

    /// <summary>Calls for keys.</summary>
    public KV.KVClient Keys { get; }

    /// <summary>Calls for leases.</summary>
    public Lease.LeaseClient Leases { get; }

    /// <summary>How many calls use it. Kept by its endpoint.</summary>
    public int Calls { get; set; }

    /// <summary>Makes a call as the user, who is named to etcd first if need be.</summary>
    public async Task<T> CallAsync<T>(
        Func<EtcdConnection, CallOptions, Task<T>> call, CancellationToken cancellationToken)
    {
        if (_options.User is null) return await call(this, new CallOptions(null, null, cancellationToken))
            .ConfigureAwait(false);
        string? known = _token;
        string token = known ?? await AuthenticateAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await call(this, With(token, cancellationToken)).ConfigureAwait(false);
        }
        catch (RpcException failure) when (known is not null && IsOfTheToken(failure))
        {
            token = await AuthenticateAsync(cancellationToken).ConfigureAwait(false);
            return await call(this, With(token, cancellationToken)).ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _channel.Dispose();

    // Tokens end after some minutes, with a restart of etcd, and when its users change.
    private static bool IsOfTheToken(RpcException failure) =>
        failure.StatusCode == StatusCode.Unauthenticated
        || (failure.StatusCode == StatusCode.InvalidArgument
            && failure.Status.Detail.Contains("auth store", StringComparison.Ordinal));

    private static CallOptions With(string token, CancellationToken cancellationToken) =>
        new(new Metadata { { "token", token } }, null, cancellationToken);

    private async Task<string> AuthenticateAsync(CancellationToken cancellationToken)
    {
        var request = new AuthenticateRequest { Name = _options.User, Password = _options.Password };
        AuthenticateResponse answer = await _users
            .AuthenticateAsync(request, new CallOptions(null, null, cancellationToken)).ResponseAsync
            .ConfigureAwait(false);
        _token = answer.Token;
        return answer.Token;
    }
}
