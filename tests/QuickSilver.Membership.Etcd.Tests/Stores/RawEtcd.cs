using Etcdserverpb;
using Google.Protobuf;
using Grpc.Net.Client;

namespace QuickSilver.Membership.Etcd.Tests.Stores;

/// <summary>What an operator does with etcd.</summary>
internal sealed class RawEtcd : IDisposable
{
    private readonly GrpcChannel _channel;
    private readonly KV.KVClient _keys;
    private readonly Lease.LeaseClient _leases;

    public RawEtcd(string endPoint)
    {
        _channel = GrpcChannel.ForAddress(
            endPoint,
            new GrpcChannelOptions { HttpClient = new HttpClient(new SocketsHttpHandler()), DisposeHttpClient = true });
        _keys = new KV.KVClient(_channel);
        _leases = new Lease.LeaseClient(_channel);
        Users = new Auth.AuthClient(_channel);
    }

    public Auth.AuthClient Users { get; }

    /// <summary>The value of a key; null if there is none.</summary>
    public async Task<string?> FindAsync(string key)
    {
        RangeResponse found = await _keys.RangeAsync(new RangeRequest { Key = ByteString.CopyFromUtf8(key) });
        return found.Kvs.Count == 0 ? null : found.Kvs[0].Value.ToStringUtf8();
    }

    public async Task PutAsync(string key, byte[] value, long lease = 0) =>
        await _keys.PutAsync(new PutRequest
        {
            Key = ByteString.CopyFromUtf8(key),
            Value = ByteString.CopyFrom(value),
            Lease = lease,
        });

    public async Task DeleteAsync(string key) =>
        await _keys.DeleteRangeAsync(new DeleteRangeRequest { Key = ByteString.CopyFromUtf8(key) });

    public async Task<long> GrantAsync() => (await _leases.LeaseGrantAsync(new LeaseGrantRequest { TTL = 60 })).ID;

    public void Dispose() => _channel.Dispose();
}
