using System.Security.Cryptography;
using System.Text;

namespace QuickSilver.Membership.Kubernetes;

/// <summary>Names of objects (RFC 1123).</summary>
internal static class KubernetesNames
{
    private const string LeasePrefix = "quicksilver-";
    private const int MostOfLabel = 63;
    private const int MostOfSubdomain = 253;
    private const int MostOfCluster = 40;
    private const int HashBytes = 4;

    /// <summary>True for a name of one label.</summary>
    public static bool IsLabel(string text) =>
        text.Length is > 0 and <= MostOfLabel && text.All(IsOfLabel) && text[0] != '-' && text[^1] != '-';

    /// <summary>True for labels with dots between them.</summary>
    public static bool IsSubdomain(string text) =>
        text.Length is > 0 and <= MostOfSubdomain && Array.TrueForAll(text.Split('.'), IsLabel);

    /// <summary>The name of the Lease of a cluster: different for different clusters.</summary>
    public static string LeaseOf(string cluster)
    {
        if (cluster.Length <= MostOfCluster && IsLabel(cluster)) return LeasePrefix + cluster;
        string kept = string.Concat(cluster.ToLowerInvariant().Where(IsOfLabel).Take(MostOfCluster)).Trim('-');
        string hash = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(cluster))[..HashBytes]);
        return kept.Length == 0 ? LeasePrefix + hash : $"{LeasePrefix}{kept}-{hash}";
    }

    private static bool IsOfLabel(char one) => one is (>= 'a' and <= 'z') or (>= '0' and <= '9') or '-';
}
