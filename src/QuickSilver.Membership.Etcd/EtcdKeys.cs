using Google.Protobuf;

namespace QuickSilver.Membership.Etcd;

/// <summary>The keys of a cluster.</summary>
/// <param name="Leader">Who serves; it goes with a lease.</param>
/// <param name="Term">The last term that was granted; it stays.</param>
internal readonly record struct EtcdKeys(ByteString Leader, ByteString Term)
{
    /// <summary>The keys of a cluster.</summary>
    public static EtcdKeys Of(string prefix, string cluster) => new(
        ByteString.CopyFromUtf8($"{prefix}{cluster}/leader"), ByteString.CopyFromUtf8($"{prefix}{cluster}/term"));
}
