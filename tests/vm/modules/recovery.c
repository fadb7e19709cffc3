// SPDX-License-Identifier: GPL-2.0-only
/*
 * roc-test-recovery.ko: call the steps of a PCI error recovery for the driver of one function. In a
 * real recovery their number and order depend on the drivers of other functions below the same
 * port. "reset" resets nothing, as in a recovery that only reports a reset. "lost" disables memory
 * access and bus mastering, as after a real reset, so the function does not answer.
 *
 * "prepare" and "done" are the steps around a function reset, here without the reset, as if it
 * failed. The steps of suspend and hibernation call the driver's callbacks only, so processes run
 * on meanwhile. The steps of a recovery run inside pci_walk_bus(), as in the PCI core, which holds
 * pci_bus_sem for reading there.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/string.h>

static char *device = "";
module_param(device, charp, 0);
MODULE_PARM_DESC(device, "address of the function, as lspci -D prints it");

static char *steps = "";
module_param(steps, charp, 0);
MODULE_PARM_DESC(
	steps,
	"of normal, frozen, lost, reset, resume, prepare, done and shutdown, or sleep, wake, freeze and restore, with commas between");

static int sleep_step(struct pci_dev *pdev, const char *step)
{
	const struct dev_pm_ops *pm = pdev->driver->driver.pm;

	if (!strcmp(step, "sleep"))
		return pm->suspend(&pdev->dev);
	if (!strcmp(step, "wake"))
		return pm->resume(&pdev->dev);
	if (!strcmp(step, "freeze"))
		return pm->freeze(&pdev->dev);
	if (!strcmp(step, "restore"))
		return pm->restore(&pdev->dev);
	return -EINVAL;
}

struct recovery_step {
	struct pci_dev *pdev;
	const char *name;
	int err;
};

/* Call a step that is not part of an error recovery; -EINVAL: it is part of one. */
static int recovery_other(struct pci_dev *pdev, const char *step)
{
	const struct pci_error_handlers *handlers = pdev->driver->err_handler;

	if (!strcmp(step, "lost"))
		pci_write_config_word(pdev, PCI_COMMAND, 0);
	else if (!strcmp(step, "prepare"))
		handlers->reset_prepare(pdev);
	else if (!strcmp(step, "done"))
		handlers->reset_done(pdev);
	else if (!strcmp(step, "shutdown"))
		pdev->driver->shutdown(pdev);
	else
		return sleep_step(pdev, step);
	return 0;
}

static int recovery_callback(struct pci_dev *pdev, const char *step)
{
	const struct pci_error_handlers *handlers = pdev->driver->err_handler;

	if (!strcmp(step, "normal"))
		handlers->error_detected(pdev, pci_channel_io_normal);
	else if (!strcmp(step, "frozen"))
		handlers->error_detected(pdev, pci_channel_io_frozen);
	else if (!strcmp(step, "reset"))
		handlers->slot_reset(pdev);
	else if (!strcmp(step, "resume"))
		handlers->resume(pdev);
	else
		return -EINVAL;
	return 0;
}

static bool recovery_lock(struct pci_dev *pdev)
{
	device_lock(&pdev->dev);
	if (pdev->driver && pdev->driver->err_handler)
		return true;
	device_unlock(&pdev->dev);
	return false;
}

static int recovery_visit(struct pci_dev *pdev, void *data)
{
	struct recovery_step *step = data;

	if (pdev != step->pdev || !recovery_lock(pdev))
		return 0;
	step->err = recovery_callback(pdev, step->name);
	device_unlock(&pdev->dev);
	return 0;
}

static int recovery_one(struct pci_dev *pdev, const char *name)
{
	struct recovery_step step = {.pdev = pdev, .name = name, .err = -ENODEV};
	int err;

	pci_walk_bus(pdev->bus, recovery_visit, &step);
	if (step.err != -EINVAL)
		return step.err;
	if (!recovery_lock(pdev))
		return -ENODEV;
	err = recovery_other(pdev, name);
	device_unlock(&pdev->dev);
	return err;
}

static int recovery_steps(struct pci_dev *pdev)
{
	char *rest = steps, *step;
	int err = 0;

	while (!err && (step = strsep(&rest, ",")))
		err = recovery_one(pdev, step);
	return err;
}

/* Loading the module runs the steps. */
static int __init recovery_init(void)
{
	unsigned int domain, bus, slot, function;
	struct pci_dev *pdev;
	int err;

	if (sscanf(device, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		return -EINVAL;
	pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	if (!pdev)
		return -ENODEV;
	err = recovery_steps(pdev);
	pci_dev_put(pdev);
	return err;
}

static void __exit recovery_exit(void)
{
}

module_init(recovery_init);
module_exit(recovery_exit);

MODULE_AUTHOR("roc developers");
MODULE_DESCRIPTION("error recovery for tests: what other drivers below a port bring about");
MODULE_LICENSE("GPL");
