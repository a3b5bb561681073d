using Etcdserverpb;
using Google.Protobuf;
using Grpc.Core;
using Mvccpb;

namespace QuickSilver.Membership.Etcd;

/// <summary>
/// What an election asks etcd for. Each request goes to the member that answered last, and to the others in turn while
/// none answers.
/// </summary>
internal sealed class EtcdStore : IDisposable
{
    private readonly EtcdEndpoint[] _endpoints;
    private volatile int _preferred;

    /// <summary>Creates it; it connects when it is used.</summary>
    /// <param name="options">Options without a fault.</param>
    public EtcdStore(EtcdOptions options) => _endpoints = [.. options.Endpoints.Select(
        endpoint => new EtcdEndpoint(EtcdAddress.TryParse(endpoint, options.HasCertificates)!, options))];

    /// <summary>"etcd at 10.0.0.5:2379, 10.0.0.6:2379".</summary>
    public string Describe() => $"etcd at {string.Join(", ", _endpoints.Select(static one => one.Name))}";

    /// <summary>Reads a key; null if there is none.</summary>
    public async Task<KeyValue?> FindAsync(ByteString key, CancellationToken cancellationToken)
    {
        RangeResponse found = await CallAsync(
            (connection, options) => connection.Keys.RangeAsync(Range(key), options).ResponseAsync, cancellationToken)
            .ConfigureAwait(false);
        return found.Kvs.Count == 0 ? null : found.Kvs[0];
    }

    /// <summary>Reads two keys at one revision.</summary>
    public async Task<(KeyValue? First, KeyValue? Second)> FindAsync(
        ByteString first, ByteString second, CancellationToken cancellationToken)
    {
        var both = new TxnRequest
        {
            Success = { new RequestOp { RequestRange = Range(first) }, new RequestOp { RequestRange = Range(second) } },
        };
        TxnResponse found = await CallAsync(
            (connection, options) => connection.Keys.TxnAsync(both, options).ResponseAsync, cancellationToken)
            .ConfigureAwait(false);
        return (Of(found.Responses[0]), Of(found.Responses[1]));

        static KeyValue? Of(ResponseOp response) =>
            response.ResponseRange.Kvs.Count == 0 ? null : response.ResponseRange.Kvs[0];
    }

    /// <summary>Makes a transaction; false if its comparisons do not hold.</summary>
    public async Task<bool> CommitAsync(TxnRequest transaction, CancellationToken cancellationToken)
    {
        TxnResponse made = await CallAsync(
            (connection, options) => connection.Keys.TxnAsync(transaction, options).ResponseAsync, cancellationToken)
            .ConfigureAwait(false);
        return made.Succeeded;
    }

    /// <summary>Asks for a lease.</summary>
    public Task<LeaseGrantResponse> GrantAsync(TimeSpan duration, CancellationToken cancellationToken)
    {
        var request = new LeaseGrantRequest { TTL = (long)Math.Ceiling(duration.TotalSeconds) };
        return CallAsync(
            (connection, options) => connection.Leases.LeaseGrantAsync(request, options).ResponseAsync,
            cancellationToken);
    }

    /// <summary>Renews a lease; false if it has ended.</summary>
    public Task<bool> RenewAsync(long lease, CancellationToken cancellationToken) =>
        CallAsync((connection, options) => RenewAsync(connection, lease, options), cancellationToken);

    /// <summary>Ends a lease, and removes its keys.</summary>
    public Task RevokeAsync(long lease, CancellationToken cancellationToken) =>
        CallAsync((connection, options) => RevokeAsync(connection, lease, options), cancellationToken);

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (EtcdEndpoint endpoint in _endpoints) endpoint.Dispose();
    }

    private static RangeRequest Range(ByteString key) => new() { Key = key };

    private static async Task<bool> RenewAsync(EtcdConnection connection, long lease, CallOptions options)
    {
        using AsyncDuplexStreamingCall<LeaseKeepAliveRequest, LeaseKeepAliveResponse> call =
            connection.Leases.LeaseKeepAlive(options);
        try
        {
            await call.RequestStream.WriteAsync(new LeaseKeepAliveRequest { ID = lease }).ConfigureAwait(false);
        }
        catch (InvalidOperationException)
        {
            // The call has ended: the answer says why.
        }
        if (!await call.ResponseStream.MoveNext(options.CancellationToken).ConfigureAwait(false))
            throw new RpcException(new Status(StatusCode.Unavailable, "the answer is empty"));
        return call.ResponseStream.Current.TTL > 0;
    }

    private static async Task<bool> RevokeAsync(EtcdConnection connection, long lease, CallOptions options)
    {
        try
        {
            await connection.Leases.LeaseRevokeAsync(new LeaseRevokeRequest { ID = lease }, options)
                .ResponseAsync.ConfigureAwait(false);
            return true;
        }
        catch (RpcException ended) when (ended.StatusCode == StatusCode.NotFound)
        {
            return false;
        }
    }

    private async Task<T> CallAsync<T>(
        Func<EtcdConnection, CallOptions, Task<T>> call, CancellationToken cancellationToken)
    {
        int first = _preferred;
        var failures = new List<string>();
        for (int turn = 0; turn < _endpoints.Length; turn++)
        {
            int index = (first + turn) % _endpoints.Length;
            try
            {
                T answer = await _endpoints[index].CallAsync(call, cancellationToken).ConfigureAwait(false);
                _preferred = index;
                return answer;
            }
            catch (EtcdUnansweredException failure)
            {
                failures.Add(failure.Message);
            }
        }
        // The next call begins with another member: one that is slow to fail must not take the time of each call.
        _preferred = (first + 1) % _endpoints.Length;
        throw new EtcdUnansweredException(string.Join("; ", failures));
    }
}
