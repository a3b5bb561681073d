namespace QuickSilver.Membership.Etcd;

/// <summary>Reads the addresses of members of etcd.</summary>
internal static class EtcdAddress
{
    private const string Separator = "://";

    /// <summary>Reads "host:port", with or without a scheme.</summary>
    /// <param name="text">What the user wrote.</param>
    /// <param name="isSecured">Whether an address without a scheme is one of https.</param>
    /// <returns>The address; null if it is none.</returns>
    public static Uri? TryParse(string? text, bool isSecured)
    {
        if (string.IsNullOrWhiteSpace(text)) return null;
        int separator = text.IndexOf(Separator, StringComparison.Ordinal);
        string scheme = separator >= 0 ? text[..separator] : isSecured ? Uri.UriSchemeHttps : Uri.UriSchemeHttp;
        string place = (separator >= 0 ? text[(separator + Separator.Length)..] : text).TrimEnd('/');
        if (scheme != Uri.UriSchemeHttp && scheme != Uri.UriSchemeHttps) return null;
        int colon = place.LastIndexOf(':');
        if (colon <= 0 || !ushort.TryParse(place.AsSpan(colon + 1), out ushort port) || port == 0) return null;
        return Uri.TryCreate($"{scheme}{Separator}{place}", UriKind.Absolute, out Uri? address)
            && address.PathAndQuery == "/" && address.UserInfo.Length == 0
            ? address
            : null;
    }

    /// <summary>The address as operators know it: "10.0.0.5:2379".</summary>
    public static string Display(Uri address) => $"{address.Host}:{address.Port}";
}
