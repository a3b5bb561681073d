namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>Reads the datagrams under <c>Golden</c>.</summary>
internal static class GoldenFile
{
    public static IEnumerable<string> Names =>
        Directory.GetFiles(Folder, "*.hex").Select(path => Path.GetFileNameWithoutExtension(path))
            .Order(StringComparer.Ordinal);

    private static string Folder => Path.Combine(AppContext.BaseDirectory, "Wire", "Golden");

    public static byte[] Read(string name)
    {
        IEnumerable<string> lines = File.ReadLines(Path.Combine(Folder, name + ".hex"))
            .Select(line => line.Split('#')[0]);
        return Convert.FromHexString(string.Concat(lines).Replace(" ", "", StringComparison.Ordinal));
    }
}
