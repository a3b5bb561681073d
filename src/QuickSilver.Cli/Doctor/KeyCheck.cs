using QuickSilver.Cli.Commands;

namespace QuickSilver.Cli.Doctor;

/// <summary>Whether this node and the server trust each other.</summary>
internal sealed class KeyCheck : ICheck
{
    /// <inheritdoc/>
    public string Name => "key";

    /// <inheritdoc/>
    public IEnumerable<Finding> Look(Scene scene)
    {
        bool found = false;
        IEnumerable<Exception> failures = scene.Servers.Select(static one => one.Failure).Append(scene.StartFailure)
            .OfType<Exception>();
        foreach (QuickSilverException failure in failures.OfType<QuickSilverException>()
            .Where(static one => one.Code == ErrorCode.AuthenticationFailed).DistinctBy(static one => one.Message))
        {
            found = true;
            yield return Finding.Trouble(failure.Message, Remedy(scene.Options.Security));
        }
        foreach (string text in scene.Heard(1143, 1144))
        {
            found = true;
            yield return Finding.Trouble(text, Remedy(scene.Options.Security));
        }
        if (found) yield break;
        yield return scene.StartFailure is null
            ? Finding.Good($"This node and the server trust each other ({scene.Statistics?.Security}).")
            : Finding.Note("No server was reached that could have refused the key.");
    }

    private static string Remedy(SecurityOptions security)
    {
        const string Copy = "Give all nodes a copy of the same file ('quicksilver key show FILE' at each machine "
            + "prints the same fingerprint for the same key)";
        if (security.KeyFile is not { } file) return Copy + ".";
        try
        {
            return $"{Copy}; '{file}' has {KeyItems.Read(file)[0]}.";
        }
        catch (CommandFailure)
        {
            return Copy + ".";
        }
    }
}
