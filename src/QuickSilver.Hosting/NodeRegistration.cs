using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace QuickSilver.Hosting;

/// <summary>What the application has registered for one node. Written before the host is built, read after.</summary>
internal sealed class NodeRegistration(string? key)
{
    private readonly Dictionary<string, GroupRegistration> _groups = new(StringComparer.Ordinal);
    private readonly Dictionary<string, PublisherRegistration> _publishers = new(StringComparer.Ordinal);
    private readonly Dictionary<string, InboxRegistration> _inboxes = new(StringComparer.Ordinal);
    private readonly List<string> _conflicts = [];

    /// <summary>Names of the sections of groups, publishers, inboxes and the gateway within that of the node.</summary>
    public static readonly string[] Sections = ["Groups", "Publishers", "Inboxes", "Gateway"];

    /// <summary>The key of the node's services; null without one.</summary>
    public string? Key { get; } = key;

    /// <summary>Name of the node's <see cref="QuickSilverOptions"/> among the options of the host.</summary>
    public string OptionsName => Key ?? Options.DefaultName;

    /// <summary>The section that the application gave; null: the one by its usual name, if it exists.</summary>
    public IConfigurationSection? Section { get; set; }

    /// <summary>What sets options in code.</summary>
    public List<Action<QuickSilverOptions>> Configurations { get; } = [];

    /// <summary>The groups, in the order of registration.</summary>
    public IReadOnlyCollection<GroupRegistration> Groups => _groups.Values;

    /// <summary>The publishers, in the order of registration.</summary>
    public IReadOnlyCollection<PublisherRegistration> Publishers => _publishers.Values;

    /// <summary>The inboxes, in the order of registration.</summary>
    public IReadOnlyCollection<InboxRegistration> Inboxes => _inboxes.Values;

    /// <summary>The handlers, in the order of registration.</summary>
    public List<HandlerRegistration> Handlers { get; } = [];

    /// <summary>The request groups, in the order of registration.</summary>
    public List<RequestRegistration> Requests { get; } = [];

    /// <summary>What answers requests, in the order of registration.</summary>
    public List<(string Group, Type Type)> Responders { get; } = [];

    /// <summary>The gateway beside the node; null for none.</summary>
    public GatewayRegistration? Gateway { get; set; }

    /// <summary>Gives each request group its responders.</summary>
    public IEnumerable<RequestRegistration> RequestsWithResponders()
    {
        foreach (RequestRegistration requests in Requests)
        {
            requests.Responders.Clear();
            requests.Responders.AddRange(
                Responders.Where(one => one.Group == requests.Name).Select(static one => one.Type));
        }
        return Requests;
    }

    /// <summary>Takes the settings of groups, publishers, inboxes and the gateway from the node's section.</summary>
    /// <returns>The mistakes, each with its path.</returns>
    public IReadOnlyList<string> Bind(IConfigurationSection node)
    {
        var findings = new List<string>();
        BindAll(node.GetSection(Sections[0]), findings, Unknown, section =>
            _groups.GetValueOrDefault(section.Key)?.Bind(section));
        BindAll(node.GetSection(Sections[1]), findings, name => NotRegistered("publisher", "AddPublisher", name),
            section => _publishers.GetValueOrDefault(section.Key)?.Bind(section));
        BindAll(node.GetSection(Sections[2]), findings, name => NotRegistered("inbox", "AddInbox", name),
            section => _inboxes.GetValueOrDefault(section.Key)?.Bind(section));
        if (node.GetSection(Sections[3]) is var gateway && gateway.Exists()) BindGateway(gateway, findings);
        return findings;
    }

    private void BindGateway(IConfigurationSection section, List<string> findings)
    {
        if (SectionBinder.TextInPlaceOfKeys(section) is { } text) findings.Add($"{section.Key}: {text}");
        if (Gateway is null)
            findings.Add($"{section.Key}: the gateway is not registered at this node: call AddSiteGateway()");
        else
            findings.AddRange(Gateway.Bind(section).Select(finding => $"{section.Key}.{finding}"));
    }

    private string Unknown(string group) => Requests.Any(requests => requests.Name == group)
        ? $"is a request group, whose options are set in code: AddRequestGroup(\"{group}\", ...)"
        : NotRegistered("group", "AddGroup", group);

    private static string NotRegistered(string what, string call, string name) =>
        $"the {what} is not registered at this node: call {call}(\"{name}\")";

    private static void BindAll(
        IConfigurationSection all, List<string> findings, Func<string, string> unknown,
        Func<IConfigurationSection, IReadOnlyList<string>?> bind)
    {
        if (SectionBinder.TextInPlaceOfKeys(all) is { } text) findings.Add($"{all.Key}: {text}");
        foreach (IConfigurationSection section in all.GetChildren())
        {
            string path = $"{all.Key}[{section.Key}]";
            if (bind(section) is not { } found)
            {
                findings.Add($"{path}: {unknown(section.Key)}");
                continue;
            }
            if (SectionBinder.TextInPlaceOfKeys(section) is { } ofSection) findings.Add($"{path}: {ofSection}");
            findings.AddRange(found.Select(finding => $"{path}.{finding}"));
        }
    }

    /// <summary>Adds a group.</summary>
    /// <returns>False if its name is registered already; other options are then a finding.</returns>
    public bool Add(GroupRegistration group)
    {
        if (_groups.TryAdd(group.Name, group)) return true;
        string[] differences = [.. _groups[group.Name].DifferencesTo(group)];
        if (differences.Length > 0)
            _conflicts.Add(
                $"Groups[{group.Name}]: is registered twice with different options: "
                + string.Join(", ", differences));
        return false;
    }

    /// <summary>Adds a publisher.</summary>
    /// <returns>False if its name is registered already; other options are then a finding.</returns>
    public bool Add(PublisherRegistration publisher)
    {
        if (_publishers.TryAdd(publisher.Name, publisher)) return true;
        string[] differences = [.. _publishers[publisher.Name].DifferencesTo(publisher)];
        if (differences.Length > 0)
            _conflicts.Add(
                $"Publishers[{publisher.Name}]: is registered twice with different options: "
                + string.Join(", ", differences));
        return false;
    }

    /// <summary>Adds an inbox.</summary>
    /// <returns>False if its name is registered already, which is a finding.</returns>
    public bool Add(InboxRegistration inbox)
    {
        if (_inboxes.TryAdd(inbox.Name, inbox)) return true;
        _conflicts.Add($"Inboxes[{inbox.Name}]: is registered twice");
        return false;
    }

    /// <summary>Returns the mistakes in a group, each with the end of its path: those of its options, and an inbox
    /// that is not registered.</summary>
    public IEnumerable<string> FindingsOf(GroupRegistration group)
    {
        foreach (string finding in group.Findings()) yield return finding;
        if (group.Options.Inbox is { } inbox && !_inboxes.ContainsKey(inbox))
            yield return $".Inbox: '{inbox}' is not registered at this node: call AddInbox(\"{inbox}\")";
    }

    /// <summary>The handlers of a group.</summary>
    public IEnumerable<HandlerRegistration> HandlersOf(string group) =>
        Handlers.Where(handler => handler.Group == group);

    /// <summary>Returns the mistakes in groups and handlers, each with its path.</summary>
    /// <param name="container">Answers what is registered; null: that is not checked.</param>
    public IEnumerable<string> Findings(IServiceProviderIsService? container)
    {
        foreach (string conflict in _conflicts) yield return conflict;
        foreach (GroupRegistration group in _groups.Values)
        {
            foreach (string finding in FindingsOf(group)) yield return $"Groups[{group.Name}]{finding}";
        }
        foreach (PublisherRegistration publisher in _publishers.Values)
        {
            foreach (string finding in publisher.Findings()) yield return $"Publishers[{publisher.Name}]{finding}";
        }
        foreach (InboxRegistration inbox in _inboxes.Values)
        {
            foreach (string finding in inbox.Options.Validate()) yield return $"Inboxes[{inbox.Name}].{finding}";
        }
        foreach (string finding in Gateway?.Options.Validate() ?? []) yield return $"Gateway.{finding}";
        foreach (RequestRegistration requests in RequestsWithResponders())
        {
            if (_groups.ContainsKey(requests.Name) || Requests.Count(other => other.Name == requests.Name) > 1)
                yield return $"RequestGroups[{requests.Name}]: the name is registered twice";
            foreach (string finding in requests.Findings(container))
                yield return $"RequestGroups[{requests.Name}]{finding}";
        }
        foreach ((string group, Type type) in Responders.Where(one => Requests.All(known => known.Name != one.Group)))
        {
            yield return $"RequestGroups[{group}].Responder[{type.Name}]: the group is not registered at this node: "
                + $"call AddRequestGroup(\"{group}\", ...)";
        }
        foreach (HandlerRegistration handler in Handlers)
        {
            _groups.TryGetValue(handler.Group, out GroupRegistration? group);
            foreach (string finding in handler.Findings(group, container))
                yield return $"Groups[{handler.Group}].Handlers[{handler.Type.Name}]: {finding}";
        }
    }

    /// <summary>The health check of this node.</summary>
    public IHealthCheck HealthOf(IServiceProvider services, QuickSilverHealthOptions options)
    {
        HostedNode node = Key is null
            ? services.GetRequiredService<HostedNode>()
            : services.GetRequiredKeyedService<HostedNode>(Key);
        return new QuickSilverHealthCheck(node, options);
    }
}
