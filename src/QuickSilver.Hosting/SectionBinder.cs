using System.Globalization;
using System.Text;
using Microsoft.Extensions.Configuration;

namespace QuickSilver.Hosting;

/// <summary>Binds a section to options, one value at a time, so that every mistake is found and not only the
/// first.</summary>
internal static class SectionBinder
{
    /// <summary>Binds a section.</summary>
    /// <param name="section">The section.</param>
    /// <param name="options">Receives the values that fit.</param>
    /// <param name="left">Names of children that are something else.</param>
    /// <returns>The keys that are no options and the values that do not fit, each with its path.</returns>
    public static IReadOnlyList<string> Bind(
        IConfigurationSection section, QuickSilverOptions options, HashSet<string> left)
    {
        var findings = new List<string>();
        var binding = new Binding(
            one => one.Bind(options),
            static one => one.Bind(
                new QuickSilverOptions(), static binder => binder.ErrorOnUnknownConfiguration = true));
        foreach (IConfigurationSection child in section.GetChildren())
        {
            if (!left.Contains(child.Key)) BindAll(child, child.Key, binding, findings);
        }
        return findings;
    }

    /// <summary>Binds the section of a group.</summary>
    /// <param name="section">The section.</param>
    /// <param name="options">Receives the values that fit.</param>
    /// <returns>The keys that are no options and the values that do not fit, each with its path.</returns>
    public static IReadOnlyList<string> Bind(IConfigurationSection section, HostedGroupOptions options)
    {
        var findings = new List<string>();
        var binding = new Binding(
            one => one.Bind(options),
            static one => one.Bind(
                new HostedGroupOptions(), static binder => binder.ErrorOnUnknownConfiguration = true));
        foreach (IConfigurationSection child in section.GetChildren()) BindAll(child, child.Key, binding, findings);
        return findings;
    }

    private static void BindAll(
        IConfigurationSection section, string path, Binding binding, List<string> findings)
    {
        bool isLeaf = true;
        foreach (IConfigurationSection child in section.GetChildren())
        {
            isLeaf = false;
            BindAll(child, $"{path}:{child.Key}", binding, findings);
        }
        if (!isLeaf && section.Value is null) return;
        IConfiguration one = new ConfigurationBuilder()
            .AddInMemoryCollection([KeyValuePair.Create(path, section.Value)]).Build();
        if (!IsKnown(one, binding))
        {
            findings.Add($"{PathText(path)}: there is no such option");
            return;
        }
        try
        {
            binding.Bind(one);
        }
        catch (Exception fault) when (fault is InvalidOperationException or FormatException or ArgumentException)
        {
            string reason = (fault.InnerException ?? fault).Message;
            findings.Add($"{PathText(path)}: '{section.Value}' does not fit: {reason}");
        }
    }

    // The binder refuses an unknown key before it looks at values.
    private static bool IsKnown(IConfiguration one, Binding binding)
    {
        try
        {
            binding.BindStrictly(one);
            return true;
        }
        catch (InvalidOperationException fault)
        {
            return !fault.Message.Contains(nameof(BinderOptions.ErrorOnUnknownConfiguration), StringComparison.Ordinal);
        }
    }

    // "Membership:Servers:0" is Membership.Servers[0], as in the options' own findings.
    private static string PathText(string path)
    {
        var text = new StringBuilder();
        foreach (string part in path.Split(ConfigurationPath.KeyDelimiter))
        {
            bool isIndex = int.TryParse(part, NumberStyles.None, CultureInfo.InvariantCulture, out _);
            if (isIndex) text.Append('[').Append(part).Append(']');
            else text.Append(text.Length > 0 ? "." : "").Append(part);
        }
        return text.ToString();
    }

    // The generator of binding code needs to see the type of the options where it binds.
    private sealed record Binding(Action<IConfiguration> Bind, Action<IConfiguration> BindStrictly);
}
