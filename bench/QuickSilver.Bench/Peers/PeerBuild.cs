namespace QuickSilver.Bench.Peers;

/// <summary>Where bench/peers/build has put the adapters that are not part of this program.</summary>
/// <param name="Folder">Holds one file or folder for each adapter that could be built,
/// and NAME.missing with the reason for each that could not.</param>
internal sealed record PeerBuild(string Folder)
{
    /// <summary>Path of an adapter.</summary>
    public string PathOf(string adapter) => Path.Combine(Folder, adapter);

    /// <summary>Why an adapter is not there; null when it is.</summary>
    public string? WhyMissing(string adapter)
    {
        if (Path.Exists(PathOf(adapter))) return null;
        string reason = PathOf(adapter + ".missing");
        return File.Exists(reason) ? File.ReadAllText(reason).Trim() : "not built: run bench/peers/run";
    }

    /// <summary>The version that was found when it was built.</summary>
    public string VersionOf(string adapter) =>
        File.Exists(PathOf(adapter + ".version")) ? File.ReadAllText(PathOf(adapter + ".version")).Trim() : "?";
}
