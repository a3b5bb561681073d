using System.Globalization;
using System.Net;

namespace QuickSilver.WideArea.Links;

/// <summary>The text form of a gateway's address: HOST:PORT, where a host is a name or an address.</summary>
internal static class SiteAddress
{
    /// <summary>Reads it.</summary>
    /// <returns>False when it has no such form.</returns>
    public static bool TryParse(string? text, out string host, out int port)
    {
        host = "";
        port = 0;
        int colon = text?.LastIndexOf(':') ?? -1;
        if (colon < 1) return false;
        ReadOnlySpan<char> before = text.AsSpan(0, colon);
        if (before[0] == '[' && before[^1] == ']') before = before[1..^1];
        else if (before.Contains(':')) return false;
        if (!int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out port))
            return false;
        host = before.ToString();
        return port is > 0 and <= IPEndPoint.MaxPort && Uri.CheckHostName(host) != UriHostNameType.Unknown;
    }
}
