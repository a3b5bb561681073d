using System.Collections.Frozen;
using System.Globalization;
using System.Text;
using Microsoft.Extensions.Configuration;
using QuickSilver.WideArea;

namespace QuickSilver.Hosting;

/// <summary>Binds a section to options, one value at a time, so that every mistake is found and not only the
/// first.</summary>
internal static class SectionBinder
{
    private const string NoOption = "?";

    // No text makes an inbox, and the binder would ignore one.
    private const string InCode = "Group:Inbox";

    /// <summary>Paths of the options that are lists. The generated binder does not tell them from values, and ignores a
    /// text in their place.</summary>
    internal static readonly FrozenSet<string> Lists = FrozenSet.Create(
        StringComparer.OrdinalIgnoreCase,
        "Membership:Servers", "Membership:AllowedNetworks", "Security:ServerNames");

    /// <summary>The types of options that are names, by what the binder calls them, with their names.</summary>
    internal static readonly FrozenDictionary<string, string[]> Names = new Dictionary<string, string[]>
    {
        [$"{typeof(EvictionPolicy)}"] = Enum.GetNames<EvictionPolicy>(),
        [$"{typeof(HandlerErrorPolicy)}"] = Enum.GetNames<HandlerErrorPolicy>(),
        [$"{typeof(MembershipMode)}"] = Enum.GetNames<MembershipMode>(),
        [$"{typeof(OverflowPolicy)}"] = Enum.GetNames<OverflowPolicy>(),
        [$"{typeof(PayloadChecksum)}"] = Enum.GetNames<PayloadChecksum>(),
        [$"{typeof(SecurityCipher)}"] = Enum.GetNames<SecurityCipher>(),
        [$"{typeof(SecurityMode)}"] = Enum.GetNames<SecurityMode>(),
        [$"{typeof(SiteCutPolicy)}"] = Enum.GetNames<SiteCutPolicy>(),
        [$"{typeof(SiteLinkTransport)}"] = Enum.GetNames<SiteLinkTransport>(),
        [$"{typeof(TransportKind)}"] = Enum.GetNames<TransportKind>(),
    }.ToFrozenDictionary();

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
                new HostedGroupOptions(), static binder => binder.ErrorOnUnknownConfiguration = true))
        {
            ModePath = "Group:Mode",
            SetMode = mode => options.Group.Mode = mode,
        };
        foreach (IConfigurationSection child in section.GetChildren()) BindAll(child, child.Key, binding, findings);
        return findings;
    }

    /// <summary>Binds the section of a publisher, as that of a group.</summary>
    /// <inheritdoc cref="Bind(IConfigurationSection, HostedGroupOptions)"/>
    public static IReadOnlyList<string> Bind(IConfigurationSection section, HostedPublisherOptions options)
    {
        var findings = new List<string>();
        var binding = new Binding(
            one => one.Bind(options),
            static one => one.Bind(
                new HostedPublisherOptions(), static binder => binder.ErrorOnUnknownConfiguration = true))
        {
            ModePath = "Publisher:Mode",
            SetMode = mode => options.Publisher.Mode = mode,
        };
        foreach (IConfigurationSection child in section.GetChildren()) BindAll(child, child.Key, binding, findings);
        return findings;
    }

    /// <summary>Binds the section of an inbox, as that of a group.</summary>
    /// <inheritdoc cref="Bind(IConfigurationSection, HostedGroupOptions)"/>
    public static IReadOnlyList<string> Bind(IConfigurationSection section, InboxOptions options)
    {
        var findings = new List<string>();
        var binding = new Binding(
            one => one.Bind(options),
            static one => one.Bind(
                new InboxOptions(), static binder => binder.ErrorOnUnknownConfiguration = true));
        foreach (IConfigurationSection child in section.GetChildren()) BindAll(child, child.Key, binding, findings);
        return findings;
    }

    /// <summary>Binds the section of a gateway, one child at a time: a list of links has its first mistake told.
    /// </summary>
    /// <param name="section">The section.</param>
    /// <param name="options">Receives the values that fit.</param>
    /// <returns>The keys that are no options and the values that do not fit, each with its path.</returns>
    public static IReadOnlyList<string> Bind(IConfigurationSection section, SiteGatewayOptions options)
    {
        var findings = new List<string>();
        foreach (IConfigurationSection child in section.GetChildren())
        {
            int start = child.Path.Length - child.Key.Length;
            IConfiguration alone = new ConfigurationBuilder().AddInMemoryCollection(
                child.AsEnumerable().Select(pair => KeyValuePair.Create(pair.Key[start..], pair.Value))).Build();
            try
            {
                alone.Bind(options, static binder => binder.ErrorOnUnknownConfiguration = true);
            }
            catch (Exception fault) when (fault is InvalidOperationException or FormatException or ArgumentException)
            {
                findings.Add($"{child.Key}: {ReasonOf(fault)}");
            }
        }
        return findings;
    }

    // The binder names unknown keys at the end, in quotes.
    private static string ReasonOf(Exception fault)
    {
        if (fault.Message.Contains(nameof(BinderOptions.ErrorOnUnknownConfiguration), StringComparison.Ordinal))
            return $"there is no such option: {fault.Message[(fault.Message.LastIndexOf(':') + 1)..].Trim()}";
        return "does not fit: " + (NamesIn(fault.Message) is { } names
            ? $"it is one of {string.Join(", ", names)}"
            : (fault.InnerException ?? fault).Message);
    }

    /// <summary>Tells of a section that has a text of its own in place of its keys.</summary>
    /// <param name="section">The section.</param>
    /// <returns>The mistake, without its path; null if there is none.</returns>
    public static string? TextInPlaceOfKeys(IConfigurationSection section) => string.IsNullOrEmpty(section.Value)
        ? null
        : $"'{section.Value}' does not fit: it is a section, with a key for each of its options";

    private static void BindAll(
        IConfigurationSection section, string path, Binding binding, List<string> findings)
    {
        if (path.Equals(binding.ModePath, StringComparison.OrdinalIgnoreCase))
        {
            ModeOptions? mode = ModeSection.Read(
                section,
                (key, text) => findings.Add($"{PathText(key.Length == 0 ? path : $"{path}:{key}")}: {text}"));
            if (mode is not null) binding.SetMode!(mode);
            return;
        }
        if (!IsKnown(path, binding) || path.Equals(InCode, StringComparison.OrdinalIgnoreCase))
        {
            findings.Add($"{PathText(path)}: there is no such option");
            return;
        }
        IConfigurationSection[] children = [.. section.GetChildren()];
        if (Lists.Contains(path))
        {
            if (!string.IsNullOrEmpty(section.Value))
            {
                findings.Add(
                    $"{PathText(path)}: '{section.Value}' does not fit: it is a list, and each entry has a key of "
                    + $"its own ({section.Key}:0, {section.Key}:1)");
            }
            foreach (IConfigurationSection entry in children)
                BindValue(entry, [.. entry.GetChildren()], $"{path}:{entry.Key}", binding, findings);
        }
        else if (IsKnown($"{path}:{NoOption}", binding))
        {
            BindValue(section, children, path, binding, findings);
        }
        else
        {
            if (TextInPlaceOfKeys(section) is { } finding) findings.Add($"{PathText(path)}: {finding}");
            foreach (IConfigurationSection child in children)
                BindAll(child, $"{path}:{child.Key}", binding, findings);
        }
    }

    private static void BindValue(
        IConfigurationSection section, IConfigurationSection[] children, string path, Binding binding,
        List<string> findings)
    {
        if (children.Length > 0)
        {
            string keys = string.Join(", ", children.Select(static child => child.Key));
            findings.Add($"{PathText(path)}: is one value, and has keys within it: {keys}");
            return;
        }
        try
        {
            binding.Bind(One(path, section.Value));
        }
        catch (Exception fault) when (fault is InvalidOperationException or FormatException or ArgumentException)
        {
            string reason = NamesIn(fault.Message) is { } names
                ? $"it is one of {string.Join(", ", names)}"
                : (fault.InnerException ?? fault).Message;
            findings.Add($"{PathText(path)}: '{section.Value}' does not fit: {reason}");
        }
    }

    // The binder names the type in quotes.
    private static string[]? NamesIn(string fault)
    {
        foreach ((string type, string[] names) in Names)
        {
            if (fault.Contains($"'{type}'", StringComparison.Ordinal)) return names;
        }
        return null;
    }

    private static IConfiguration One(string path, string? value) => new ConfigurationBuilder()
        .AddInMemoryCollection([KeyValuePair.Create(path, value)]).Build();

    // The binder refuses an unknown key before it looks at values. What lies within a value or a list is no key to it,
    // so a key that no section has tells these from sections.
    private static bool IsKnown(string path, Binding binding)
    {
        try
        {
            binding.BindStrictly(One(path, ""));
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
    private sealed record Binding(Action<IConfiguration> Bind, Action<IConfiguration> BindStrictly)
    {
        // Where the mode of a group is; null where there is none.
        public string? ModePath { get; init; }

        public Action<ModeOptions>? SetMode { get; init; }
    }
}
