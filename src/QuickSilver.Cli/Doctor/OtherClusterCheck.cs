namespace QuickSilver.Cli.Doctor;

/// <summary>Whether two servers serve clusters of the same name: nodes of one do not see those of the other.</summary>
internal sealed class OtherClusterCheck : ICheck
{
    private const string Remedy = "Two hosts of one name are two clusters: stop one of them, name both in "
        + "Membership.Servers of both, so that only one serves, or give one another ClusterName.";

    /// <inheritdoc/>
    public string Name => "other clusters";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        string[] serving = [.. scene.Servers.Where(static one => one.Failure is null).Select(static one => one.Server)];
        string[] heard = [.. scene.Heard(1132, 1139, 1157)];
        bool isElected = scene.Options.Membership.Mode is MembershipMode.Elected or MembershipMode.Peers;
        if (serving.Length > 1 && !isElected)
        {
            yield return Finding.Trouble(
                $"Each of {string.Join(" and ", serving)} serves a cluster named '{scene.Options.ClusterName}'.",
                Remedy);
        }
        else if (scene.Announced.Count > 1 && !isElected)
        {
            yield return Finding.Trouble(
                $"Servers at {string.Join(" and ", scene.Announced)} announce a cluster named "
                + $"'{scene.Options.ClusterName}'.",
                Remedy);
        }
        foreach (string place in scene.Refused)
        {
            yield return Finding.Trouble(
                $"{place} announces a server of '{scene.Options.ClusterName}' that this node does not trust.",
                "It has another key, or is none of yours. " + Remedy);
        }
        foreach (string text in heard) yield return Finding.Trouble(text, Remedy);
        if (serving.Length > 1 || scene.Announced.Count > 1 || scene.Refused.Count > 0 || heard.Length > 0) yield break;
        yield return scene.Servers.Count > 1 || scene.Announced.Count > 0 || scene.IsLocal
            ? Finding.Good($"No second server of '{scene.Options.ClusterName}' was found.")
            : Finding.Note(
                "Only one server was asked, and none announces itself.",
                "Give --server for each address that may serve, to find a second cluster of the same name.");
    }
}
